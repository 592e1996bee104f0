import { UserId } from "@surety/core/Ids"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Schema } from "effect"
import { ServiceId } from "../field/ServiceId.js"
import { atLeast, atMost, identifierText, text } from "../field/Text.js"

const shortestId = 5

/** The number that is verified. Its form is the provider's concern; its length is not (specification 4.2). */
const IdNumber = Schema.String.check(atLeast(shortestId), atMost(64)).annotate({
  description: "The number to verify, of the kind's own form; spaces and hyphens are dropped. Neither kept nor logged.",
  examples: ["22222222222"]
})

const largestSelfie = 12_000_000

const validation = {
  first_name: text(120),
  last_name: text(120),
  date_of_birth: text(32).annotate({
    description: "YYYY-MM-DD, DD/MM/YYYY or DD-MM-YYYY. Any other text is NOT_CHECKED.",
    examples: ["1990-01-01"]
  }),
  selfie: text(largestSelfie).annotate({
    description:
      "A JPEG, PNG or WebP image in base 64, bare or as a data URI; anything else is NOT_CHECKED. Neither kept nor logged."
  })
}

const whom = {
  user_id: Schema.optionalKey(
    identifierText(128)
      .annotate({ description: "The person, by our id; or send service_id." })
      .pipe(Schema.decodeTo(Schema.toType(UserId)))
  ),
  service_id: Schema.optionalKey(ServiceId)
}

const Tier = text(32).annotate({
  description: "What the person is verified for. Any text; the platform's own tiers raise the person's."
})

/** The body of `POST /v1/kyc/verifications` as it is documented (specification 4.2). */
export const VerificationRequestDocument = Schema.Struct({
  ...whom,
  kind: VerificationKind,
  id: IdNumber,
  verification_consent: Schema.Literal(true).annotate({ description: "That the person has consented." }),
  tier: Schema.optionalKey(Tier),
  validation: Schema.optionalKey(
    Schema.Struct({
      first_name: Schema.optionalKey(validation.first_name),
      last_name: Schema.optionalKey(validation.last_name),
      date_of_birth: Schema.optionalKey(validation.date_of_birth),
      selfie: Schema.optionalKey(validation.selfie)
    })
  )
}).annotate({ identifier: "VerificationRequest" })

const confidential = <S extends Schema.Codec<string>>(schema: S, label: string) =>
  Schema.RedactedFromValue(schema, { label, disallowEncode: true })

/**
 * The same as it is read: what is somebody's is redacted from here on. Consent is a rule's concern, which holds for
 * whatever is sent in its place.
 */
export const VerificationRequestBody = Schema.Struct({
  ...whom,
  kind: VerificationKind,
  id: confidential(IdNumber, "id"),
  verification_consent: Schema.optionalKey(Schema.Unknown),
  tier: Schema.optionalKey(Tier),
  validation: Schema.optionalKey(
    Schema.Struct({
      first_name: Schema.optionalKey(confidential(validation.first_name, "first_name")),
      last_name: Schema.optionalKey(confidential(validation.last_name, "last_name")),
      date_of_birth: Schema.optionalKey(confidential(validation.date_of_birth, "date_of_birth")),
      selfie: Schema.optionalKey(confidential(validation.selfie, "selfie"))
    })
  )
})

/** The body of `POST /v1/kyc/verifications/{reference}/code` (contract 8). */
export const CodeRequestDocument = Schema.Struct({
  code: identifierText(64).annotate({
    description: "The one-time code that the person was sent.",
    examples: ["482913"]
  })
}).annotate({ identifier: "VerificationCodeRequest" })

export const CodeRequestBody = Schema.Struct({ code: confidential(identifierText(64), "code") })
