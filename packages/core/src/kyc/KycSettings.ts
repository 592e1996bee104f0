import { Context, Duration } from "effect"
import * as KycSchedule from "./KycSchedule.js"
import type { BreakerPolicy } from "./provider/CircuitBreaker.js"

/** The time limits and bounds of managed verifications. */
export interface KycSettings {
  readonly schedule: KycSchedule.KycSchedule
  /** The tiers that a person can have, lowest first. Requests may name any tier; only these raise a person's. */
  readonly tiers: ReadonlyArray<string>
  /** How long a provider may take to answer (contract 8). */
  readonly providerTimeout: Duration.Duration
  /** How long a verification is one worker's alone: longer than a look-up and a submission may take together. */
  readonly holdFor: Duration.Duration
  readonly breaker: BreakerPolicy
  /**
   * How many MiB of numbers, names and selfies may wait in memory for another try. What does not fit is not tried again:
   * a provider that is down must not fill the memory with selfies.
   */
  readonly retryMemoryMebibytes: number
  /** How long a request waits for the first one with its key (contract 6). */
  readonly patience: Duration.Duration
  /** How long a merchant's read waits for a look at the provider that is due. */
  readonly readPatience: Duration.Duration
  /** How long an idempotency key and its answer are kept (contract 6). */
  readonly keyRetention: Duration.Duration
}

export const defaultSettings: KycSettings = {
  schedule: KycSchedule.standard,
  tiers: ["TIER_1", "TIER_2", "TIER_3"],
  providerTimeout: Duration.seconds(10),
  holdFor: Duration.seconds(25),
  breaker: { failures: 5, openFor: Duration.seconds(30) },
  retryMemoryMebibytes: 256,
  patience: Duration.seconds(5),
  readPatience: Duration.seconds(2),
  keyRetention: Duration.days(30)
}

const longestTier = 32

/** Whether these can be the tiers of a platform: at least one, all different, each of 1 to 32 characters. */
export const isTierList = (tiers: ReadonlyArray<string>): boolean =>
  tiers.length > 0 &&
  new Set(tiers).size === tiers.length &&
  tiers.every((tier) => tier.trim() === tier && tier.length >= 1 && tier.length <= longestTier)

/** The settings in force. A host provides its own, most simply `{ ...defaultSettings, providerTimeout: … }`. */
export const KycSettings = Context.Reference<KycSettings>("@surety/core/kyc/KycSettings", {
  defaultValue: () => defaultSettings
})
