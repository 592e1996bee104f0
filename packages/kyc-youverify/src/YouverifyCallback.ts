import { VerificationId } from "@surety/core/Ids"
import type { CalledAbout, KycCallback, KycCalled } from "@surety/core/kyc/provider/KycCallback"
import { ProviderReference } from "@surety/core/kyc/verification/Verification"
import * as BoundedJson from "@surety/kyc-http/BoundedJson"
import * as VendorSignature from "@surety/kyc-http/VendorSignature"
import { Effect, Option, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import * as Doubts from "./Doubts.js"
import { outcomeOfRecord } from "./outcomeOfRecord.js"
import { YouverifyEvent, YouverifyRecord } from "./YouverifyRecord.js"

const readEvent = Schema.decodeUnknownOption(YouverifyEvent)
const readRecord = Schema.decodeUnknownOption(YouverifyRecord)
const isOurs = Schema.is(VerificationId)
const isReference = Schema.is(ProviderReference)

const irrelevant: KycCalled = { _tag: "Irrelevant" }

const aboutOf = ({ id, metadata }: YouverifyRecord): CalledAbout => ({
  ...(isOurs(metadata?.reference) ? { reference: metadata.reference } : {}),
  ...(isReference(id) ? { providerReference: id } : {})
})

/**
 * Reads the body of an authentic webhook. Its record identifies the verification by Youverify's id, by our reference
 * returned in `metadata`, or by both. A record with neither is irrelevant, and so is any event but a completed
 * verification.
 */
const said = (body: Uint8Array): KycCalled => {
  const event = Option.flatMap(BoundedJson.parse(body), readEvent)
  if (Option.isNone(event) || event.value.event !== "identity.verification.completed") return irrelevant
  const record = readRecord(event.value.data)
  if (Option.isNone(record)) return irrelevant
  const about = aboutOf(record.value)
  const reference = about.providerReference ?? about.reference
  return reference === undefined
    ? irrelevant
    : { _tag: "Answered", about, outcome: outcomeOfRecord(record.value, reference) }
}

/** Creates a reader of Youverify's webhooks. The reader also checks their signature, a hex HMAC-SHA256 of the body. */
export const make = Effect.fnUntraced(function* (webhookSecret: Redacted.Redacted<string>) {
  const signature = yield* VendorSignature.make({ algorithm: Mac.hmacSha256, key: webhookSecret, text: "hex" })
  return Effect.fnUntraced(function* ({ body, headers }: KycCallback) {
    const bytes = Redacted.value(body)
    const given = Doubts.signatureHeaders.flatMap((header) => headers[header] ?? [])
    const verdicts = yield* Effect.forEach(given, (each) => signature.verify(each, bytes))
    return verdicts.includes(true) ? said(bytes) : ({ _tag: "NotAuthentic" } satisfies KycCalled)
  })
})
