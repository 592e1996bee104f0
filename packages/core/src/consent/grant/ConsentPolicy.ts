import { Context, Duration } from "effect"

/** Version and language of a privacy notice shown to a person. */
export interface PrivacyNotice {
  readonly version: string
  /** BCP 47 language tag. */
  readonly language: string
}

/** Durations that apply to consent, and texts for receipts. */
export interface ConsentPolicy {
  /** How long a person has to decide on a request. Also the default lifetime of a link from `ManagementLinks.issue`. */
  readonly requestLifetime: Duration.Duration
  /**
   * Default lifetime of a grant, and the maximum for a grant from a data request. Also the lifetime of a management
   * link that a decision creates.
   */
  readonly grantLifetime: Duration.Duration
  /** Maximum lifetime of an unused one-time grant. A shorter `grantLifetime` or requested duration limits it too. */
  readonly oneTimeLifetime: Duration.Duration
  /** Minimum time for which a request's idempotency keys and response are stored (contract 6). */
  readonly keyRetention: Duration.Duration
  /** Version of the default privacy notice. Its language (BCP 47) is `noticeLanguage`. */
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

/** The policy in force. A host can override it, for example with `{ ...defaultConsentPolicy, grantLifetime: … }`. */
export const ConsentPolicy = Context.Reference<ConsentPolicy>("@surety/core/consent/grant/ConsentPolicy", {
  defaultValue: () => defaultConsentPolicy
})

/** Ending of the default purpose, which begins with the merchant's name. */
export const defaultPurposeEnding = " asks to identify you as its customer."

/**
 * Returns the purpose of a request, grant or verification: the stated one, or else the merchant's own (contract 7).
 * Without either, returns the merchant's name with `defaultPurposeEnding`.
 */
export const purposeOf = (
  purpose: string | undefined,
  {
    controller,
    ownPurpose
  }: { readonly ownPurpose: string | undefined; readonly controller: { readonly name: string } }
): string => purpose ?? ownPurpose ?? controller.name + defaultPurposeEnding

/**
 * Normalises a purpose or other text to its form on a page: NFC, trimmed, each run of white space as one space. So an
 * added space does not make a repeated or already denied request look new.
 */
export const asRead = (purpose: string): string => purpose.normalize("NFC").replace(/\s+/gu, " ").trim()
