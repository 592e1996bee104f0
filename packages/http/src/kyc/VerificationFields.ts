import { UserId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { identifierText } from "@surety/core/input/Text"
import { compared, confidential, IdText, OneTimeCode, Tier } from "@surety/core/input/VerificationFields"
import { CodeChannel } from "@surety/core/kyc/verification/NextAction"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Schema } from "effect"

const whom = {
  user_id: Schema.optionalKey(
    identifierText(128)
      .annotate({ description: "The person's user_id; or send service_id." })
      .pipe(Schema.decodeTo(Schema.toType(UserId)))
  ),
  service_id: Schema.optionalKey(ServiceId)
}

/** The body of `POST /v1/kyc/verifications` as documented (specification 4.2). */
export const VerificationRequestDocument = Schema.Struct({
  ...whom,
  kind: VerificationKind,
  id: IdText,
  verification_consent: Schema.Literal(true).annotate({ description: "true: the person has consented." }),
  tier: Schema.optionalKey(Tier),
  validation: Schema.optionalKey(
    Schema.Struct({
      first_name: Schema.optionalKey(compared.firstName),
      last_name: Schema.optionalKey(compared.lastName),
      date_of_birth: Schema.optionalKey(compared.dateOfBirth),
      selfie: Schema.optionalKey(compared.selfie)
    })
  )
}).annotate({
  identifier: "VerificationRequest",
  codes: ["subject_required", "verification_consent_required", "amount_precision", "request_timeout"]
})

/**
 * The body of `POST /v1/kyc/verifications` as decoded, with `id` and the details to compare redacted. Any
 * `verification_consent` decodes, because a rule checks it later.
 */
export const VerificationRequestBody = Schema.Struct({
  ...whom,
  kind: VerificationKind,
  id: confidential(IdText, "id"),
  // Only `true` is accepted, so the reader need not build other values in full.
  verification_consent: Schema.optionalKey(Schema.Unknown.annotate({ longest: 0 })),
  tier: Schema.optionalKey(Tier),
  validation: Schema.optionalKey(
    Schema.Struct({
      first_name: Schema.optionalKey(confidential(compared.firstName, "first_name")),
      last_name: Schema.optionalKey(confidential(compared.lastName, "last_name")),
      date_of_birth: Schema.optionalKey(confidential(compared.dateOfBirth, "date_of_birth")),
      selfie: Schema.optionalKey(confidential(compared.selfie, "selfie"))
    })
  )
})

/** The body of `POST /v1/kyc/verifications/{reference}/code` (contract 8). */
export const CodeRequestDocument = Schema.Struct({
  code: OneTimeCode.annotate({
    description: "The one-time code sent to the person.",
    examples: ["482913"]
  }),
  channel: Schema.optionalKey(
    CodeChannel.annotate({
      description: "The one of nextAction.channels on which the code was sent.",
      examples: ["phone"]
    })
  )
}).annotate({ identifier: "VerificationCodeRequest" })

export const CodeRequestBody = Schema.Struct({
  code: confidential(OneTimeCode, "code"),
  channel: Schema.optionalKey(CodeChannel)
})
