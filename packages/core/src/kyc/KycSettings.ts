import { Context, Duration } from "effect"
import * as KycSchedule from "./KycSchedule.js"
import type { BreakerPolicy } from "./provider/CircuitBreaker.js"

/** Settings of managed verifications. Defaults: `defaultKycSettings`. */
export interface KycSettings {
  readonly schedule: KycSchedule.KycSchedule
  /**
   * Tiers that a person can reach, lowest first. A request may name any tier, but only a listed one can become the
   * person's tier.
   */
  readonly tiers: ReadonlyArray<string>
  /** Timeout of a call to a provider (contract 8), and of an adapter's decoding of a callback. */
  readonly providerTimeout: Duration.Duration
  /**
   * Duration of a worker's lease. A lease held while waiting to retry lasts this much longer than the wait. Must exceed
   * twice `providerTimeout`, because an attempt may look up and then submit.
   */
  readonly leaseTime: Duration.Duration
  readonly breaker: BreakerPolicy
  /**
   * Maximum memory, in MiB, for the submissions that await a retry. A submission counts as 1 MiB plus the size of its
   * selfie in MiB, rounded down. Submissions that do not fit are not retried.
   */
  readonly retryMemoryMebibytes: number
  /**
   * How long a request waits for the response to an earlier request with the same key (contract 6). Also the
   * `retryAfterSeconds` of a verification's errors.
   */
  readonly patience: Duration.Duration
  /**
   * How long a merchant's read waits for a due lookup. Also how long a callback that is only a hint waits for its
   * lookup.
   */
  readonly readPatience: Duration.Duration
  /**
   * Minimum time for which an idempotency key and its response are stored (contract 6), unless the person is erased.
   */
  readonly keyRetention: Duration.Duration
}

export const defaultKycSettings: KycSettings = {
  schedule: KycSchedule.standardKycSchedule,
  tiers: ["TIER_1", "TIER_2", "TIER_3"],
  providerTimeout: Duration.seconds(10),
  leaseTime: Duration.seconds(25),
  breaker: { failures: 5, openFor: Duration.seconds(30) },
  retryMemoryMebibytes: 256,
  patience: Duration.seconds(5),
  readPatience: Duration.seconds(2),
  keyRetention: Duration.days(30)
}

const longestTier = 32

/**
 * Returns true if the list is valid as a host's tiers. It must have at least one tier, without duplicates. Each must
 * have 1 to 32 characters, without surrounding white space.
 */
export const isTierList = (tiers: ReadonlyArray<string>): boolean =>
  tiers.length > 0 &&
  new Set(tiers).size === tiers.length &&
  tiers.every((tier) => tier.trim() === tier && tier.length >= 1 && tier.length <= longestTier)

/** The settings in force. A host can provide its own, most simply `{ ...defaultKycSettings, providerTimeout: … }`. */
export const KycSettings = Context.Reference<KycSettings>("@surety/core/kyc/KycSettings", {
  defaultValue: () => defaultKycSettings
})
