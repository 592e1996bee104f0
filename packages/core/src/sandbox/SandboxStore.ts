import { Context, type DateTime, Duration, type Effect, type Option } from "effect"
import type { DataRequestId, GrantId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"

/** How far a merchant may move its test clock in all (contract 14), in seconds. */
export const farthestSeconds = Duration.toSeconds(Duration.days(400))

/** The number of open records of each kind that an advance of the test clock is guaranteed to bring forward. */
export const mostMoved = 1_000

/** What a merchant has set in its sandbox. */
export interface SandboxSettings {
  /** Whether TEST refunds are allowed: by the merchant's own switch, and by the operator. */
  readonly refundsEnabled: boolean
  /** Seconds by which the merchant has advanced its test clock so far. */
  readonly clockSeconds: number
}

export type AdvanceOutcome =
  | { readonly _tag: "Advanced"; readonly clockSeconds: number }
  /** Nothing moved: the clock would pass `farthestSeconds`. */
  | { readonly _tag: "TooFar"; readonly clockSeconds: number }

/**
 * A merchant's changes to its own sandbox. No verb touches another merchant's records, or any LIVE record.
 *
 * The test clock has no time of its own: advancing it brings pending work forward. All times in records stay real.
 */
export class SandboxStore extends Context.Service<
  SandboxStore,
  {
    readonly find: (merchantId: MerchantId) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /** Switches the merchant's TEST refunds. None if the merchant does not exist. */
    readonly switchRefunds: (
      merchantId: MerchantId,
      enabled: boolean
    ) => Effect.Effect<Option.Option<SandboxSettings>, StoreError>

    /**
     * Brings forward by `seconds`, atomically, what is pending in the merchant's TEST environment: the expiry and
     * notification of pending data requests, the expiry of active grants, the next attempts of pending deliveries and the
     * start of their endpoints' failures, the next lookups of open verifications and the deadlines of their next actions.
     * Leases do not change. Moves at least the `mostMoved` newest records of each kind, or the deliveries due soonest; a
     * store may leave the others unchanged.
     *
     * Moves nothing if the clock would pass `farthestSeconds`; concurrent moves add up. None if the merchant does not
     * exist.
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
