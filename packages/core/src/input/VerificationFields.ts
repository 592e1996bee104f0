import { Redacted, Schema, SchemaGetter } from "effect"
import { atLeast, atMost, identifierText, text } from "./Text.js"

const shortestId = 5

/**
 * The number to verify, of 5 to 64 characters. This schema checks only its length; `IdNumber.read` checks its form
 * (specification 4.2).
 */
export const IdText = Schema.String.check(atLeast(shortestId), atMost(64)).annotate({
  description:
    "The number to verify, in the format of its kind. Spaces and hyphens are ignored. Never stored or logged.",
  examples: ["22222222222"]
})

const largestSelfie = 12_000_000

/** Values to compare with the registry's record. A date or selfie that cannot be parsed is not compared. */
export const compared = {
  firstName: text(120),
  lastName: text(120),
  dateOfBirth: text(32).annotate({
    description: "YYYY-MM-DD, DD/MM/YYYY or DD-MM-YYYY. Any other text is NOT_CHECKED.",
    examples: ["1990-01-01"]
  }),
  selfie: text(largestSelfie).annotate({
    description:
      "A JPEG, PNG or WebP image in base 64, bare or as a data URI; anything else is NOT_CHECKED. Never stored or logged."
  })
}

export const Tier = text(32).annotate({
  description:
    "The tier that the person is verified for. Any string; only the platform's own tiers raise the person's tier."
})

/** The one-time code that the holder of the number received, of 1 to 64 characters. */
export const OneTimeCode = identifierText(64)

/**
 * Redacts a field as soon as it is decoded. `Schema.RedactedFromValue` would check the redacted value again, which for
 * a selfie means counting twelve million characters twice.
 */
export const confidential = (schema: Schema.Codec<string>, label: string) =>
  schema.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String, { label, disallowJsonEncode: true }), {
      decode: SchemaGetter.transform((text: string) => Redacted.make(text, { label })),
      encode: SchemaGetter.forbidden(() => `Cannot encode Redacted with label: "${label}"`)
    })
  )
