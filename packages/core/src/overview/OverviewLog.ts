import { Context, type DateTime, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { EndpointStatus } from "../event/WebhookEndpoint.js"
import type { EndpointId, MerchantId, VerificationId } from "../Ids.js"
import type { VerificationKind } from "../kyc/verification/Verification.js"
import type { StoreError } from "../StoreError.js"

/** A number of records. Counting stops at a limit, to keep it cheap. */
export interface Counted {
  readonly count: number
  /** Time of the longest-waiting record. Undefined if the count is 0. */
  readonly since: DateTime.Utc | undefined
}

/** What needs attention in an environment. */
export interface Attention {
  /** Enabled endpoints whose last attempts failed, and since when. */
  readonly endpointsFailing: Counted
  readonly endpointsDisabled: Counted
  /** Long-pending refunds, except those waiting for a test helper. */
  readonly refundsPending: Counted
  /** Verifications that have been open for too long. */
  readonly verificationsStuck: Counted
  /** Open rights requests. `since` is the next deadline, as in the two counts below. */
  readonly rightsRequests: Counted
  /** Open rights requests that are due soon, and those that are late. */
  readonly rightsRequestsNear: Counted
  readonly rightsRequestsLate: Counted
  /** Merchants awaiting review. Equal in both environments. */
  readonly merchantsInReview: Counted
  /** Data requests awaiting the person. Without a notifier, the operator must pass on their links. */
  readonly dataRequestsPending: Counted
  /** Data requests recently denied as `NOT_ME`. */
  readonly disowned: Counted
  /** Proposals awaiting a second operator. */
  readonly proposals: Counted
}

export interface AttentionBounds {
  readonly now: DateTime.Utc
  /** Pending refunds count if created before this time. */
  readonly refundsBefore: DateTime.Utc
  /** Open verifications count if created before this time. */
  readonly verificationsBefore: DateTime.Utc
  /** Open rights requests are near if due before this time. */
  readonly dueBefore: DateTime.Utc
  /** Disowned requests count if created from this time on. */
  readonly disownedSince: DateTime.Utc
  /** Limit at which counting stops. */
  readonly countTo: number
}

/** An endpoint that fails or is disabled. */
export interface TroubledEndpoint {
  readonly endpointId: EndpointId
  readonly merchantId: MerchantId
  readonly url: string
  readonly status: EndpointStatus
  /** Start of the failures of an enabled endpoint, or the time a disabled one was disabled. */
  readonly since: DateTime.Utc
}

/** A verification that has been open for too long. */
export interface StuckVerification {
  readonly verificationId: VerificationId
  readonly merchantId: MerchantId
  readonly serviceId: ConsumerId
  readonly kind: VerificationKind
  /** Absent if no provider was called. */
  readonly provider?: string
  readonly createdAt: DateTime.Utc
}

/** Facts counted by the hour. Those that concern money also have a sum. */
export const hourlyFacts = [
  "payment.settled",
  "refund.paid",
  "refund.returned",
  "consent.asked",
  "consent.granted",
  "consent.denied",
  "consent.revoked",
  "consent.expired",
  "verification.ended",
  "delivery.taken",
  "delivery.refused"
] as const
export type HourlyFact = (typeof hourlyFacts)[number]

/** Number of times a fact occurred in an hour. */
export interface HourCount {
  /** Start of the hour. */
  readonly hour: DateTime.Utc
  readonly fact: HourlyFact
  /** Money only. */
  readonly currency?: Currency
  readonly count: number
  /** Money only: the sum in minor units. */
  readonly amountMinor?: bigint
}

/** Hours of an environment. */
export interface HourRange {
  readonly environment: Environment
  /** Inclusive. */
  readonly since: DateTime.Utc
}

/** Read side of the console's overview. */
export class OverviewLog extends Context.Service<
  OverviewLog,
  {
    /** Counts what needs attention. Cheap at any size: each number is counted over an index, up to a limit. */
    readonly attention: (environment: Environment, bounds: AttentionBounds) => Effect.Effect<Attention, StoreError>

    /** Returns the endpoints that `attention` counts as failing or disabled, the longest first. At most `limit`. */
    readonly troubledEndpoints: (
      environment: Environment,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TroubledEndpoint>, StoreError>

    /** Returns open verifications created before `before`, the oldest first. At most `limit`. */
    readonly stuckVerifications: (
      environment: Environment,
      before: DateTime.Utc,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StuckVerification>, StoreError>

    /**
     * Counts at most `limit` hours of both environments between `since` and `now`, newest first, and returns their
     * number. Skips hours whose count is already final. Counting an hour again replaces its numbers. Safe to call from
     * several processes at once: each hour is counted by one.
     */
    readonly countHours: (
      range: { readonly since: DateTime.Utc; readonly now: DateTime.Utc },
      limit: number
    ) => Effect.Effect<number, StoreError>

    /**
     * Returns the counts, oldest hour first, and within an hour by fact and currency. Facts that did not occur in an
     * hour are omitted.
     */
    readonly hours: (range: HourRange) => Effect.Effect<ReadonlyArray<HourCount>, StoreError>

    /** Time of the latest count. Undefined before the first. */
    readonly countedAt: Effect.Effect<DateTime.Utc | undefined, StoreError>
  }
>()("@surety/core/overview/OverviewLog") {}
