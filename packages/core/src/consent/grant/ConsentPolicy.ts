import { Context, Duration } from "effect"

/** The privacy notice that a person was shown before deciding. */
export interface PrivacyNotice {
  readonly version: string
  /** BCP 47. */
  readonly language: string
}

/** The terms of consent, and how receipts state them. */
export interface ConsentPolicy {
  /** How long a person has to decide on a request. */
  readonly requestLifetime: Duration.Duration
  /** How long a grant lasts unless it is revoked. */
  readonly grantLifetime: Duration.Duration
  /** How long a grant for one read waits for that read; no longer than `grantLifetime`. */
  readonly oneTimeLifetime: Duration.Duration
  /** How long a request's idempotency key and answer are kept (contract 6). */
  readonly keyRetention: Duration.Duration
  /** The privacy notice that people are shown before deciding, and its language (BCP 47). */
  readonly noticeVersion: string
  readonly noticeLanguage: string
  /** How the merchant gets the fields. */
  readonly collectionMethod: string
  readonly processingMethod: string
  /** How long the merchant may keep what it has read. */
  readonly retentionPeriod: string
  /** How a person revokes a consent. */
  readonly withdrawalMethod: string
}

export const defaultConsentPolicy: ConsentPolicy = {
  requestLifetime: Duration.days(7),
  grantLifetime: Duration.days(180),
  oneTimeLifetime: Duration.days(7),
  keyRetention: Duration.days(30),
  noticeVersion: "1.0",
  noticeLanguage: "en",
  collectionMethod: "Read from the platform's records of the person, by the merchant, at the time of each reading.",
  processingMethod: "Used by the merchant for the purpose named here, and for no other.",
  retentionPeriod: "Until the purpose is fulfilled, and no longer than the consent is in force.",
  withdrawalMethod: "At any time with the platform; reading stops with the merchant's next request."
}

/** The policy in force. A host provides its own, most simply `{ ...defaultPolicy, grantLifetime: … }`. */
export const ConsentPolicy = Context.Reference<ConsentPolicy>("@surety/core/consent/grant/ConsentPolicy", {
  defaultValue: () => defaultConsentPolicy
})

/** Appended to the merchant's name as the purpose of a merchant that has none of its own. */
export const defaultPurposeEnding = " asks to identify you as its customer."

/** What the fields are for: the stated purpose, else the merchant's own text, else a plain sentence (contract 7). */
export const purposeOf = (
  purpose: string | undefined,
  {
    controller,
    ownPurpose
  }: { readonly ownPurpose: string | undefined; readonly controller: { readonly name: string } }
): string => purpose ?? ownPurpose ?? controller.name + defaultPurposeEnding

/**
 * A purpose as a person reads it: runs of white space, which a page shows as one space, become one space. So an added
 * space neither makes another request nor gets around a denial.
 */
export const asRead = (purpose: string): string => purpose.normalize("NFC").replace(/\s+/gu, " ").trim()
