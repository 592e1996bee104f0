import { type Redacted, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import { VerificationId } from "../../Ids.js"
import { ProviderReference } from "../verification/Verification.js"
import { KycOutcome } from "./KycOutcome.js"

/** A provider's request to `POST /callbacks/kyc/{provider}`, as received. */
export interface KycCallback {
  /** The raw bytes, over which a signature is checked. They may contain personal data. */
  readonly body: Redacted.Redacted<Uint8Array>
  /** Header values by lower-case header name. */
  readonly headers: Readonly<Record<string, string>>
}

/** The verification that a callback concerns. At least one reference must be present. Surety's takes precedence. */
export const CalledAbout = Schema.Struct({
  reference: Schema.optionalKey(VerificationId),
  providerReference: Schema.optionalKey(ProviderReference)
})
export type CalledAbout = typeof CalledAbout.Type

/** The result of checking and decoding a callback. */
export const KycCalled = Schema.TaggedUnion({
  /** The signature covers the body, so the outcome is authentic. */
  Answered: { about: CalledAbout, outcome: KycOutcome },
  /** The outcome may have changed, so it must be looked up. */
  Hint: { about: CalledAbout },
  /** Authentic, but concerns no verification: a test of the callback url, or another product. */
  Irrelevant: {},
  /** Rejected: the signature is missing, invalid or expired, or the callback is unreadable or not supported. */
  NotAuthentic: {}
})
export type KycCalled = typeof KycCalled.Type

/** Validates an adapter's result for a callback. Adapters may be third-party code, so their types are not trusted. */
export const readKycCalled = reading(KycCalled, "a KycCalled of exactly its fields")
