import { assert } from "@effect/vitest"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import type { MerchantId } from "@surety/core/Ids"
import {
  defaultMerchantSettings,
  type Merchant,
  type MerchantScope,
  type MerchantSettings,
  type MerchantStatus
} from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { DateTime } from "effect"
import { Effect, Option, Redacted } from "effect"
import * as Fresh from "../FreshIds.js"

export interface FreshMerchantOptions {
  readonly status?: MerchantStatus
  readonly settings?: Partial<MerchantSettings>
  readonly at?: DateTime.Utc
  readonly externalId?: string
}

export const unstored = Effect.fnUntraced(function* (options: FreshMerchantOptions = {}) {
  const at = options.at ?? (yield* Fresh.now)
  const merchant: Merchant = {
    id: Fresh.merchantId(at),
    businessCode: yield* Fresh.withRandom(ConsumerId.nextBusinessCode),
    ...(options.externalId === undefined ? {} : { externalId: options.externalId }),
    profile: {
      name: "Ada Stores",
      legalName: "Ada Stores Ltd",
      contactName: Redacted.make("Ada Obi"),
      contactEmail: Redacted.make("ada@stores.example"),
      country: "NG",
      businessType: "retail"
    },
    settings: { ...defaultMerchantSettings, ...options.settings },
    status: options.status ?? "ACTIVE",
    createdAt: at,
    updatedAt: at
  }
  return merchant
})

export const firstChange = ({ createdAt, id, status }: Merchant) => ({
  merchantId: id,
  to: status,
  actor: "operator",
  at: createdAt
})

/** Stores a new merchant, `ACTIVE` by default. */
export const make = Effect.fnUntraced(function* (options: FreshMerchantOptions = {}) {
  const merchant = yield* unstored(options)
  const store = yield* MerchantStore
  assert.isTrue(yield* store.insert(merchant, firstChange(merchant)), "a merchant with a new business code is stored")
  return merchant
})

export const scopeOf = ({ id }: Merchant, environment: Environment = "LIVE"): MerchantScope => ({
  merchantId: id,
  environment
})

export const otherEnvironment = ({ environment, merchantId }: MerchantScope): MerchantScope => ({
  merchantId,
  environment: environment === "LIVE" ? "TEST" : "LIVE"
})

/** Replaces a stored merchant's settings, like an operator who has just read them. */
export const saveSettings = Effect.fnUntraced(function* (
  id: MerchantId,
  change: (settings: MerchantSettings) => MerchantSettings
) {
  const store = yield* MerchantStore
  const { settings, updatedAt } = Option.getOrThrow(yield* store.find(id))
  assert.isTrue(yield* store.saveSettings(id, { from: settings, to: change(settings) }, updatedAt))
})

/**
 * Creates another merchant. Returns two scopes that must not see any record of `scope`: the merchant's other
 * environment, and the new merchant in the same environment.
 */
export const strangersTo = Effect.fnUntraced(function* (scope: MerchantScope) {
  const neighbour = scopeOf(yield* make(), scope.environment)
  return [otherEnvironment(scope), neighbour]
})
