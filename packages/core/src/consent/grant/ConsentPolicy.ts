import { Context, Duration } from "effect"

/** The privacy notice shown to a person before they decide. */
export interface PrivacyNotice {
  readonly version: string
  /** BCP 47 language tag. */
  readonly language: string
}

/** Terms of consent, and their wording in receipts. */
export interface ConsentPolicy {
  /** How long a person has to decide on a request. */
  readonly requestLifetime: Duration.Duration
  /** Default lifetime of a grant, and the longest one that a data request can lead to. */
  readonly grantLifetime: Duration.Duration
  /** How long a one-time grant waits for its read. A duration longer than `grantLifetime` is capped to it. */
  readonly oneTimeLifetime: Duration.Duration
  /** How long a request's idempotency key and response are stored (contract 6). */
  readonly keyRetention: Duration.Duration
  /** Version and language (BCP 47) of the privacy notice shown to people before they decide. */
  readonly noticeVersion: string
  readonly noticeLanguage: string
  /** How the merchant obtains the fields. */
  readonly collectionMethod: string
  readonly processingMethod: string
  /** How long the merchant may keep the data it has read. */
  readonly retentionPeriod: string
  /** How a person can revoke consent. */
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

/** The policy in force. A host can provide its own, most simply `{ ...defaultConsentPolicy, grantLifetime: … }`. */
export const ConsentPolicy = Context.Reference<ConsentPolicy>("@surety/core/consent/grant/ConsentPolicy", {
  defaultValue: () => defaultConsentPolicy
})

/** Appended to the name of a merchant without a purpose of its own, to form its usual purpose. */
export const defaultPurposeEnding = " asks to identify you as its customer."

/**
 * Returns the purpose of a request or grant: the stated one, else the merchant's own (contract 7). Without either, it
 * is the merchant's name with `defaultPurposeEnding`.
 */
export const purposeOf = (
  purpose: string | undefined,
  {
    controller,
    ownPurpose
  }: { readonly ownPurpose: string | undefined; readonly controller: { readonly name: string } }
): string => purpose ?? ownPurpose ?? controller.name + defaultPurposeEnding

/**
 * Normalises a purpose to what a person reads on a page: NFC, trimmed, and with each run of white space as one space.
 * Thus an added space cannot disguise a request that was already made or denied.
 */
export const asRead = (purpose: string): string => purpose.normalize("NFC").replace(/\s+/gu, " ").trim()
