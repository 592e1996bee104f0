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
  /** An earlier snapshot, on which the first decision is made. */
  readonly stale?: DataRequestSnapshot
}

/** How the end of a grant differs from the default. */
export interface EndOptions {
  readonly at?: DateTime.Utc
  readonly scope?: MerchantScope
  readonly change?: (plan: GrantEndPlan) => GrantEndPlan
}

/** How a read differs from the default. */
export interface IdentityReadOptions {
  /** All by default. */
  readonly fields?: ReadonlyArray<string>
  readonly at?: DateTime.Utc
  readonly apiKeyId?: ApiKeyId
  /** An earlier snapshot, on which the first decision is made. */
  readonly stale?: IdentityReadSnapshot
}

/** The requested fields by default. */
export const defaultFields = ["email", "country"]

/** No limits on asking. */
export const unlimited: AskLimits = { open: 0, perDay: 0, againAfter: Duration.zero }

/** How long a request asks for, and where it leads back to. */
export const termsOf = ({ duration, returnUrl, state }: AskOptions) => ({
  ...(duration === undefined ? {} : { duration }),
  ...(returnUrl === undefined ? {} : { returnUrl }),
  ...(state === undefined ? {} : { state })
})

/** The new values of a read, with every value already fetched. */
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
