import type { AskLimits } from "@surety/core/consent/asking/AskLimits"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import type { GrantEndPlan } from "@surety/core/consent/grant/decideGrant"
import type { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import type { IdentityReadContext, IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import type { Controller } from "@surety/core/consent/receipt/Receipt"
import type { DataRequestPlan, DataRequestSnapshot } from "@surety/core/consent/request/decideDataRequest"
import { specified } from "@surety/core/consumer/IdentityField"
import type { ApiKeyId } from "@surety/core/Ids"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type DateTime, Duration } from "effect"
import * as Fresh from "../FreshIds.js"

/** Options for a data request. `at` defaults to the current time. */
export interface AskOptions {
  /** Default: a new key. */
  readonly key?: IdempotencyKey
  /** Default: `email` and `country`. */
  readonly fields?: ReadonlyArray<string>
  readonly purpose?: string
  readonly duration?: GrantDuration
  readonly returnUrl?: string
  readonly state?: string
  readonly at?: DateTime.Utc
  /** Names of the server's fingerprint keys, active key first. Default: `k1` alone. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  /** Key id in the link's sealed url. Default: `k1`. */
  readonly linkKeyId?: string
  /** Lifetime of the request. Default: seven days. */
  readonly lifetimeMillis?: number
  /** Limits on asking. An omitted limit is off. */
  readonly limits?: Partial<AskLimits>
  readonly change?: (plan: DataRequestPlan) => DataRequestPlan
  /** An earlier snapshot to use for the first decision. */
  readonly stale?: DataRequestSnapshot
}

/** Options for ending a grant. `at` defaults to the current time. Without `scope`, the grant may be any merchant's. */
export interface EndOptions {
  readonly at?: DateTime.Utc
  readonly scope?: MerchantScope
  readonly change?: (plan: GrantEndPlan) => GrantEndPlan
}

/** Options for an identity read. `at` defaults to the current time. */
export interface IdentityReadOptions {
  /** Default: all fields. */
  readonly fields?: ReadonlyArray<string>
  readonly at?: DateTime.Utc
  readonly apiKeyId?: ApiKeyId
  /** An earlier snapshot to use for the first decision. */
  readonly stale?: IdentityReadSnapshot
}

export const defaultFields = ["email", "country"]

/** Turns off every limit on asking, since 0 means no limit. */
export const unlimited: AskLimits = { open: 0, perDay: 0, againAfter: Duration.zero }

export const termsOf = ({ duration, returnUrl, state }: AskOptions) => ({
  ...(duration === undefined ? {} : { duration }),
  ...(returnUrl === undefined ? {} : { returnUrl }),
  ...(state === undefined ? {} : { state })
})

/** Builds the context of an identity read with fetched values, so the read may use up a one-time grant. */
export const readContextOf = (
  scope: MerchantScope,
  now: DateTime.Utc,
  controller: Controller,
  { apiKeyId }: IdentityReadOptions
): IdentityReadContext => ({
  scope,
  now,
  readId: Fresh.identityReadId(now),
  apiKeyId,
  known: specified,
  receiptId: Fresh.receiptId(now),
  eventId: Fresh.eventId(now),
  controller,
  policy: defaultConsentPolicy,
  atHand: new Set(specified)
})
