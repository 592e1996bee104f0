import { Context, Duration } from "effect"

/** The text that a person was shown before they decided. */
export interface Notice {
  readonly version: string
  /** BCP 47. */
  readonly language: string
}

/** The terms on which consent is asked for and given, and what a receipt says of them. */
export interface ConsentPolicy {
  /** How long a person has to decide on a request. */
  readonly requestLifetime: Duration.Duration
  /** How long a grant is in force unless it is revoked. */
  readonly grantLifetime: Duration.Duration
  /** How long a request's idempotency key and answer are kept (contract 6). */
  readonly keyRetention: Duration.Duration
  /** Which text of the notice people are shown before they decide, and its language (BCP 47). */
  readonly noticeVersion: string
  readonly noticeLanguage: string
  /** How the fields come to the merchant. */
  readonly collectionMethod: string
  readonly processingMethod: string
  /** How long the merchant may keep what it has read. */
  readonly retentionPeriod: string
  /** How a person takes a consent back. */
  readonly withdrawalMethod: string
}

/** The policy in force. A host provides its own, most simply `{ ...defaultPolicy, grantLifetime: … }`. */
export const defaultPolicy: ConsentPolicy = {
  requestLifetime: Duration.days(7),
  grantLifetime: Duration.days(180),
  keyRetention: Duration.days(30),
  noticeVersion: "1.0",
  noticeLanguage: "en",
  collectionMethod: "Read from the platform's records of the person, by the merchant, at the time of each reading.",
  processingMethod: "Used by the merchant for the purpose named here, and for no other.",
  retentionPeriod: "Until the purpose is fulfilled, and no longer than the consent is in force.",
  withdrawalMethod: "At any time with the platform; reading stops with the merchant's next request."
}

export const ConsentPolicy = Context.Reference<ConsentPolicy>("@surety/core/consent/grant/ConsentPolicy", {
  defaultValue: () => defaultPolicy
})

/** Follows the merchant's name in the purpose of a merchant that has settled none. */
export const defaultPurposeEnding = " asks to identify you as its customer."

/** What the fields are for: what is said now, else the merchant's own text, else a plain sentence (contract 7). */
export const purposeOf = (
  purpose: string | undefined,
  {
    controller,
    ownPurpose
  }: { readonly ownPurpose: string | undefined; readonly controller: { readonly name: string } }
): string => purpose ?? ownPurpose ?? controller.name + defaultPurposeEnding
