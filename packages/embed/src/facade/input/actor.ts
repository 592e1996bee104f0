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
 * Who decided: the person themselves, in the host's own app; the host on their behalf (the default); its staff. `name`
 * is the host's own name for the user or system that acted, without personal data. It is stored with the record.
 */
export const acting = actorOf(128)

/** The same for changes that are kept as an operator's action, whose names are shorter. */
export const recorded = actorOf(64)

export const host: ConsentActor = { kind: "HOST" }

/** The actor as one text, for records that keep a name alone: its own name, or `host`, `operator` or `person`. */
export const nameOf = ({ kind, name }: ConsentActor = host): string => name ?? kind.toLowerCase()
