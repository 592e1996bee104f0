import { Context, type DateTime, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { EndpointStatus } from "../event/WebhookEndpoint.js"
import type { EndpointId, MerchantId, VerificationId } from "../Ids.js"
import type { VerificationKind } from "../kyc/verification/Verification.js"
import type { StoreError } from "../StoreError.js"

/** A number of records, counted up to a limit so that it is cheap. */
export interface Counted {
  readonly count: number
  /** The time of the longest waiting one; undefined if the count is 0. */
  readonly since: DateTime.Utc | undefined
}

/** What needs attention in an environment. */
export interface Attention {
  /** Enabled endpoints whose last attempts failed, since when. */
  readonly endpointsFailing: Counted
  readonly endpointsDisabled: Counted
  /** Refunds that have been pending for long, except those that wait for a test helper. */
  readonly refundsPending: Counted
  /** Verifications that have been open for long. */
  readonly verificationsStuck: Counted
  /** Open rights requests; `since` is the next deadline here and in the two below. */
  readonly rightsRequests: Counted
  /** Those of them that are due soon, or late. */
  readonly rightsRequestsNear: Counted
  readonly rightsRequestsLate: Counted
  /** Merchants that wait for review: the same in both environments. */
  readonly merchantsInReview: Counted
  /** Data requests that wait for the person. Without a notifier, the operator brings them their links. */
  readonly dataRequestsPending: Counted
  /** Data requests that a person called "not me" lately. */
  readonly disowned: Counted
  /** Proposals that wait for a second operator. */
  readonly proposals: Counted
}

export interface AttentionBounds {
  readonly now: DateTime.Utc
  /** Refunds that are pending count if they were created before. */
  readonly refundsBefore: DateTime.Utc
  /** Verifications that are open count if they were created before. */
  readonly verificationsBefore: DateTime.Utc
  /** Open rights requests are near if they are due before. */
  readonly dueBefore: DateTime.Utc
  /** Disowned requests count if they were created from then on. */
  readonly disownedSince: DateTime.Utc
  /** Counting stops here. */
  readonly countTo: number
}

/** An endpoint that fails or is disabled. */
export interface TroubledEndpoint {
  readonly endpointId: EndpointId
  readonly merchantId: MerchantId
  readonly url: string
  readonly status: EndpointStatus
  /** Since when an enabled one has been failing, or a disabled one has been disabled. */
  readonly since: DateTime.Utc
}

/** A verification that has been open for long. */
export interface StuckVerification {
  readonly verificationId: VerificationId
  readonly merchantId: MerchantId
  readonly serviceId: ConsumerId
  readonly kind: VerificationKind
  /** Absent if no provider was asked. */
  readonly provider?: string
  readonly createdAt: DateTime.Utc
}

/** The facts that are counted by the hour. Money also has its sum. */
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

/** How often a fact happened in an hour. */
export interface HourCount {
  /** The hour's beginning. */
  readonly hour: DateTime.Utc
  readonly fact: HourlyFact
  /** Of money only. */
  readonly currency?: Currency
  readonly count: number
  /** Of money only: the sum in minor units. */
  readonly amountMinor?: bigint
}

/** Hours of an environment. */
export interface HourRange {
  readonly environment: Environment
  /** Inclusive. */
  readonly since: DateTime.Utc
}

/** What the console's overview reads. */
export class OverviewLog extends Context.Service<
  OverviewLog,
  {
    /** Cheap at any size: each number is counted over an index, up to a limit. */
    readonly attention: (environment: Environment, bounds: AttentionBounds) => Effect.Effect<Attention, StoreError>

    /** The endpoints that `attention` counts as failing or disabled, the longest first; at most `limit`. */
    readonly troubledEndpoints: (
      environment: Environment,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TroubledEndpoint>, StoreError>

    /** The verifications that are open and were created before, the longest first; at most `limit`. */
    readonly stuckVerifications: (
      environment: Environment,
      before: DateTime.Utc,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StuckVerification>, StoreError>

    /**
     * Counts at most `limit` hours of both environments, the newest first: of the hours from `since` until `now` those
     * never counted, or last counted before their count was final. Counting an hour again replaces its numbers. Returns
     * how many hours were counted. Several processes may call it at once; an hour is counted by one.
     */
    readonly countHours: (
      range: { readonly since: DateTime.Utc; readonly now: DateTime.Utc },
      limit: number
    ) => Effect.Effect<number, StoreError>

    /**
     * What was counted, the oldest hour first, an hour's in the order of their facts and currencies. Facts that did not
     * happen in an hour are omitted.
     */
    readonly hours: (range: HourRange) => Effect.Effect<ReadonlyArray<HourCount>, StoreError>

    /** The time of the latest count; undefined before the first. */
    readonly countedAt: Effect.Effect<DateTime.Utc | undefined, StoreError>
  }
>()("@surety/core/overview/OverviewLog") {}
