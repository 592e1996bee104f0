import { type Redacted, Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import { VerificationId } from "../../Ids.js"
import { ProviderReference } from "../verification/Verification.js"
import { KycOutcome } from "./KycOutcome.js"

/** A request of a provider to `POST /callbacks/kyc/{provider}`, as received. */
export interface KycCallback {
  /** The raw bytes: signatures cover these. They hold personal data. */
  readonly body: Redacted.Redacted<Uint8Array>
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Which verification a callback is about. At least one reference is present; ours wins. */
export const CalledAbout = Schema.Struct({
  reference: Schema.optionalKey(VerificationId),
  providerReference: Schema.optionalKey(ProviderReference)
})
export type CalledAbout = typeof CalledAbout.Type

/** What a callback says, once its adapter has checked it. */
export const KycCalled = Schema.TaggedUnion({
  /** The signature covers the body, so this is the provider's outcome. */
  Answered: { about: CalledAbout, outcome: KycOutcome },
  /** There may be news: look it up. */
  Hint: { about: CalledAbout },
  /** Authentic, but about no verification: a test of the address, or another product. */
  Irrelevant: {},
  /** The signature is missing, wrong or too old. */
  NotAuthentic: {}
})
export type KycCalled = typeof KycCalled.Type

/** Reads what an adapter made of a callback. Adapters are third-party code, so their types are not trusted. */
export const readKycCalled = reading(KycCalled, "a KycCalled of exactly its fields")

/** Treats an invalid reading as `NotAuthentic`: nothing is done. */
export const understoodCall = (called: unknown): KycCalled =>
  Result.getOrElse(readKycCalled(called), (): KycCalled => ({ _tag: "NotAuthentic" }))
