import { Context, type DateTime, Duration, type Effect, type Option } from "effect"
import type { DataRequestId, GrantId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"

/** How far a merchant may move its test clock in all (contract 14), in seconds. */
export const farthestSeconds = Duration.toSeconds(Duration.days(400))

/** How many open records of each kind a move of the test clock is sure to bring forward. */
export const mostMoved = 1_000

/** What a merchant has set in its sandbox. */
export interface SandboxSettings {
  /** Whether TEST refunds are allowed: by the merchant's own switch, and by the operator. */
  readonly refundsEnabled: boolean
  /** How far the merchant has moved its test clock so far. */
  readonly clockSeconds: number
}

export type AdvanceOutcome =
  | { readonly _tag: "Advanced"; readonly clockSeconds: number }
  /** Nothing moved: the clock would pass `farthestSeconds`. */
  | { readonly _tag: "TooFar"; readonly clockSeconds: number }

/**
 * A merchant's changes to its own sandbox. No verb touches another merchant's records, or any LIVE record.
 *
 * The test clock has no time of its own: moving it brings forward what waits. All times in records stay real.
 */
export class SandboxStore extends Context.Service<
  SandboxStore,
  {
    readonly find: (merchantId: MerchantId) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /** Switches the merchant's TEST refunds. None if there is no such merchant. */
    readonly switchRefunds: (
      merchantId: MerchantId,
      enabled: boolean
    ) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /**
     * Brings forward by `seconds`, all or nothing, what waits in the merchant's TEST environment: the expiry and the
     * notification of pending data requests, the expiry of active grants, the next attempts of pending deliveries and
     * since when their endpoints have been failing, the next lookups of open verifications and the end of their next action.
     * Leases stay. Of each kind the `mostMoved` created last, or due soonest for deliveries; a store may leave the others
     * where they are.
     *
     * Moves nothing if the clock would pass `farthestSeconds`; concurrent moves add up. None if there is no such
     * merchant.
     */
    readonly advanceClock: (
      merchantId: MerchantId,
      seconds: number
    ) => Effect.Effect<Option.Option<AdvanceOutcome>, StoreError>

    /** Makes the merchant's pending TEST request expire at `at`, if it would later. */
    readonly lapseRequest: (
      merchantId: MerchantId,
      id: DataRequestId,
      at: DateTime.Utc
    ) => Effect.Effect<void, StoreError>

    /** Makes the merchant's active TEST grant expire at `at`, if it would later. */
    readonly lapseGrant: (merchantId: MerchantId, id: GrantId, at: DateTime.Utc) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/sandbox/SandboxStore") {}
