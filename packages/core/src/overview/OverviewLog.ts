import { Context, type DateTime, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { EndpointStatus } from "../event/WebhookEndpoint.js"
import type { EndpointId, MerchantId, VerificationId } from "../Ids.js"
import type { VerificationKind } from "../kyc/verification/Verification.js"
import type { StoreError } from "../StoreError.js"

/** A count of records, capped at `countTo` to keep counting cheap. */
export interface Counted {
  readonly count: number
  /**
   * Earliest of the times at which the counted records were created, began to fail or were disabled. For
   * `rightsRequestsNear` and `rightsRequestsLate`, the earliest deadline. Undefined if the count is 0.
   */
  readonly since: DateTime.Utc | undefined
}

/** Counts of an environment's records that need attention. */
export interface Attention {
  /**
   * Enabled endpoints with a failed attempt since their last success or enabling. `since` is when the longest-failing
   * endpoint began to fail.
   */
  readonly endpointsFailing: Counted
  readonly endpointsDisabled: Counted
  /** Pending refunds created before `refundsBefore`, except those that wait for a test helper. */
  readonly refundsPending: Counted
  /** Open verifications created before `verificationsBefore`. */
  readonly verificationsStuck: Counted
  /** All open rights requests. The next two fields count subsets of these. */
  readonly rightsRequests: Counted
  /** Open rights requests due after `now` and before `dueBefore`. `since` is the first deadline. */
  readonly rightsRequestsNear: Counted
  /** Open rights requests due by `now`. `since` is the first deadline. */
  readonly rightsRequestsLate: Counted
  /** Merchants awaiting review. The count is the same in both environments, since a merchant exists in both. */
  readonly merchantsInReview: Counted
  /**
   * Data requests that await a person's decision. With `ConsentNotifier.leavesToOperator`, the operator or host must
   * deliver their links.
   */
  readonly dataRequestsPending: Counted
  /** Data requests created since `disownedSince` that were denied as `NOT_ME`. */
  readonly disowned: Counted
  /** Proposals awaiting a second operator. */
  readonly proposals: Counted
}

export interface AttentionBounds {
  readonly now: DateTime.Utc
  readonly refundsBefore: DateTime.Utc
  readonly verificationsBefore: DateTime.Utc
  readonly dueBefore: DateTime.Utc
  readonly disownedSince: DateTime.Utc
  readonly countTo: number
}

/** A failing or disabled endpoint. */
export interface TroubledEndpoint {
  readonly endpointId: EndpointId
  readonly merchantId: MerchantId
  readonly url: string
  readonly status: EndpointStatus
  /** If enabled, when the endpoint began to fail. If disabled, when it was disabled. */
  readonly since: DateTime.Utc
}

export interface StuckVerification {
  readonly verificationId: VerificationId
  readonly merchantId: MerchantId
  readonly serviceId: ConsumerId
  readonly kind: VerificationKind
  readonly provider?: string
  readonly createdAt: DateTime.Utc
}

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

/** The count of a fact in one hour. Facts about money are counted per currency, and their amounts are totalled. */
export interface HourCount {
  /** Start of the hour. */
  readonly hour: DateTime.Utc
  readonly fact: HourlyFact
  /** Present for facts about money. */
  readonly currency?: Currency
  readonly count: number
  /** Total in minor units. Present for facts about money. */
  readonly amountMinor?: bigint
}

export interface HourRange {
  readonly environment: Environment
  /** Start of the period. The full hour that contains it is included. */
  readonly since: DateTime.Utc
}

/** Data for the console's overview: the records that need attention now, and stored hourly counts. */
export class OverviewLog extends Context.Service<
  OverviewLog,
  {
    /** Counts records that need attention, each kind up to `bounds.countTo`. */
    readonly attention: (environment: Environment, bounds: AttentionBounds) => Effect.Effect<Attention, StoreError>

    /**
     * Returns the endpoints that `attention` counts as failing or disabled, longest in trouble first. At most `limit`.
     */
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
     * Counts at most `limit` hours of both environments between `since` and `now`, newest first. Returns the number of
     * hours counted. Skips hours whose count is final or recent. Counting an hour again replaces its counts. Safe to
     * call from several processes: no two of them count the same hour concurrently.
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

    /** Returns the time of the latest count. Undefined before the first one. */
    readonly countedAt: Effect.Effect<DateTime.Utc | undefined, StoreError>
  }
>()("@surety/core/overview/OverviewLog") {}
