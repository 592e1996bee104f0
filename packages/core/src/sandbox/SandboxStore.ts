import { Context, type DateTime, Duration, type Effect, type Option } from "effect"
import type { DataRequestId, GrantId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"

/** Maximum total advance of a merchant's test clock (contract 14), in seconds. */
export const farthestSeconds = Duration.toSeconds(Duration.days(400))

/** Number of open records of each kind that an advance of the test clock is guaranteed to move. */
export const mostMoved = 1_000

/** Whether a merchant's TEST refunds are on, and how far the merchant has advanced its test clock. */
export interface SandboxSettings {
  /** True if both the merchant's own switch and the operator's allow TEST refunds. */
  readonly refundsEnabled: boolean
  /** Seconds by which the merchant has advanced its test clock so far. */
  readonly clockSeconds: number
}

export type AdvanceOutcome =
  | { readonly _tag: "Advanced"; readonly clockSeconds: number }
  /** Nothing was moved, because the clock would pass `farthestSeconds`. */
  | { readonly _tag: "TooFar"; readonly clockSeconds: number }

/**
 * A merchant's changes to its own sandbox. No method affects another merchant's records, or any LIVE record.
 *
 * The test clock is only an offset from real time. Advancing it brings pending work forward. New records still get the
 * real time.
 */
export class SandboxStore extends Context.Service<
  SandboxStore,
  {
    readonly find: (merchantId: MerchantId) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /** Switches the merchant's TEST refunds on or off. Returns `None` if the merchant does not exist. */
    readonly switchRefunds: (
      merchantId: MerchantId,
      enabled: boolean
    ) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /**
     * Brings pending work in the merchant's TEST environment forward by `seconds`, atomically:
     *
     * - expiry and notification of pending data requests
     * - expiry of active grants
     * - next attempts of pending deliveries, and `failingSince` of failing endpoints
     * - next lookups of open verifications, and the deadlines of their next actions
     *
     * Leases do not change. Moves at least the `mostMoved` newest requests, grants and verifications each. Of
     * deliveries, moves at least `mostMoved` in total, earliest due first for each endpoint. A store may leave the
     * remaining records unchanged.
     *
     * Moves nothing if the clock would pass `farthestSeconds`. Concurrent advances add up. Returns `None` if the
     * merchant does not exist.
     */
    readonly advanceClock: (
      merchantId: MerchantId,
      seconds: number
    ) => Effect.Effect<Option.Option<AdvanceOutcome>, StoreError>

    /** Makes the merchant's pending TEST request expire at `at`, unless it expires earlier. */
    readonly lapseRequest: (
      merchantId: MerchantId,
      id: DataRequestId,
      at: DateTime.Utc
    ) => Effect.Effect<void, StoreError>

    /** Makes the merchant's active TEST grant expire at `at`, unless it expires earlier. */
    readonly lapseGrant: (merchantId: MerchantId, id: GrantId, at: DateTime.Utc) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/sandbox/SandboxStore") {}
