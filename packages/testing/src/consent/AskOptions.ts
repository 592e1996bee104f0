import type { AskLimits } from "@surety/core/consent/asking/AskLimits"
import type { DataRequestPlan } from "@surety/core/consent/request/decideDataRequest"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { type DateTime, Duration } from "effect"

/** What a question may have of its own. */
export interface AskOptions {
  /** A new one unless told. */
  readonly key?: IdempotencyKey
  /** `email` and `country` unless told. */
  readonly fields?: ReadonlyArray<string>
  readonly purpose?: string
  readonly at?: DateTime.Utc
  /** Stands for the keys that the server knows, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  /** The key under which the link is sealed. */
  readonly linkKeyId?: string
  /** How long the person has; seven days unless told. */
  readonly lifetimeMillis?: number
  /** The bounds on asking; none unless told. */
  readonly limits?: Partial<AskLimits>
  /** Makes the plan another one before it is committed. */
  readonly change?: (plan: DataRequestPlan) => DataRequestPlan
}

/** What is asked for unless told. */
export const defaultFields = ["email", "country"]

/** No bounds on asking. */
export const unlimited: AskLimits = { open: 0, perDay: 0, againAfter: Duration.zero }
