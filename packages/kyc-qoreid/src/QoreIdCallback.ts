import type { KycCallback, KycCalled } from "@surety/core/kyc/provider/KycCallback"
import * as BoundedJson from "@surety/kyc-http/BoundedJson"
import * as VendorSignature from "@surety/kyc-http/VendorSignature"
import { Effect, Option, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { outcomeOfFrame } from "./outcomeOfFrame.js"
import { QoreIdEvent, QoreIdFrame } from "./QoreIdFrame.js"

/** Header with the hex HMAC-SHA512 of the body, under the webhook's secret. */
export const signatureHeader = "x-verifyme-signature"

const readEvent = Schema.decodeUnknownOption(QoreIdEvent)
const readFrame = Schema.decodeUnknownOption(QoreIdFrame)

const irrelevant: KycCalled = { _tag: "Irrelevant" }

/**
 * Reads the body of an authenticated callback. Only a completed identity check is relevant. QoreID sends its own id for
 * the check, not our reference.
 */
const said = (body: Uint8Array): KycCalled => {
  const event = Option.flatMap(BoundedJson.parse(body), readEvent)
  if (Option.isNone(event)) return irrelevant
  const { data, event: subject, event_type: type } = event.value
  if (subject !== "identity" || type !== "verification_completed") return irrelevant
  return Option.match(readFrame(data), {
    onNone: () => irrelevant,
    onSome: (frame): KycCalled => ({
      _tag: "Answered",
      about: { providerReference: String(frame.id) },
      outcome: outcomeOfFrame(frame)
    })
  })
}

/** Creates a reader of QoreID's webhooks. The reader also checks their signatures. */
export const make = Effect.fnUntraced(function* (webhookSecret: Redacted.Redacted<string>) {
  const signature = yield* VendorSignature.make({ algorithm: Mac.hmacSha512, key: webhookSecret, text: "hex" })
  return ({ body, headers }: KycCallback): Effect.Effect<KycCalled> => {
    const bytes = Redacted.value(body)
    return Effect.map(
      signature.verify(headers[signatureHeader] ?? "", bytes),
      (isAuthentic): KycCalled => (isAuthentic ? said(bytes) : { _tag: "NotAuthentic" })
    )
  }
})
