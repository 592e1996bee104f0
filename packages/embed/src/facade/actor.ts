import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"

/**
 * Who decided: the person themselves, in the host's own app; the host on their behalf (the default); its staff. `name`
 * is the host's own name for the user or system that acted, without personal data. It is stored with the receipt.
 */
export const acting = {
  actor: Schema.optionalKey(
    Schema.Struct({
      kind: Schema.Literals(["PERSON", "HOST", "OPERATOR"]),
      name: Schema.optionalKey(identifierText(128))
    })
  )
}

export const host: ConsentActor = { kind: "HOST" }
