import type { AskLimits } from "@surety/core/consent/asking/AskLimits"
import type { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import type { DataRequestPlan } from "@surety/core/consent/request/decideDataRequest"
import type { ApiKeyId } from "@surety/core/Ids"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { type DateTime, Duration } from "effect"

/** Options of a data request. */
export interface AskOptions {
  /** A new one by default. */
  readonly key?: IdempotencyKey
  /** `email` and `country` by default. */
  readonly fields?: ReadonlyArray<string>
  readonly purpose?: string
  readonly duration?: GrantDuration
  readonly returnUrl?: string
  readonly state?: string
  readonly at?: DateTime.Utc
  /** Names of the server's keys, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  /** The key that seals the link. */
  readonly linkKeyId?: string
  /** How long the person has; seven days by default. */
  readonly lifetimeMillis?: number
  /** The limits on asking; none by default. */
  readonly limits?: Partial<AskLimits>
  /** Changes the plan before the commit. */
  readonly change?: (plan: DataRequestPlan) => DataRequestPlan
}

/** How a read differs from the default. */
export interface IdentityReadOptions {
  /** All by default. */
  readonly fields?: ReadonlyArray<string>
  readonly at?: DateTime.Utc
  readonly apiKeyId?: ApiKeyId
}

/** The requested fields by default. */
export const defaultFields = ["email", "country"]

/** No limits on asking. */
export const unlimited: AskLimits = { open: 0, perDay: 0, againAfter: Duration.zero }
