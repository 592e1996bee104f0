import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"

const actorOf = (longestName: number) => ({
  actor: Schema.optionalKey(
    Schema.Struct({
      kind: Schema.Literals(["PERSON", "HOST", "OPERATOR"]),
      name: Schema.optionalKey(identifierText(longestName))
    })
  )
})

/**
 * Who acted: `PERSON`, in the host's own app; `HOST`, the default; or `OPERATOR`, the host's staff. `name` is the
 * host's own identifier of the acting user or system. It is stored with the record, so it must contain no personal
 * data.
 */
export const acting = actorOf(128)

/** Like `acting`, for calls recorded as operator actions. `name` has at most 64 characters instead of 128. */
export const recorded = actorOf(64)

export const host: ConsentActor = { kind: "HOST" }

/** Returns the actor's name, for records that keep only a name. Without one, returns `host`, `operator` or `person`. */
export const nameOf = ({ kind, name }: ConsentActor = host): string => name ?? kind.toLowerCase()
