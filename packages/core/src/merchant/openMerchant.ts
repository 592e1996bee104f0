import { Effect, Option } from "effect"
import type { Environment } from "../Environment.js"
import type { MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import { hasSandboxAccess, type Merchant, type MerchantScope } from "./Merchant.js"
import { MerchantNotActive, MerchantNotFound } from "./MerchantError.js"
import type { MerchantStore } from "./MerchantStore.js"

/**
 * Returns the merchant, or `None` if it does not exist. Fails if it is REJECTED or CLOSED, since such a merchant
 * receives no further information about people.
 */
export const requireNotClosed = Effect.fnUntraced(function* (
  store: MerchantStore["Service"],
  { environment, merchantId }: MerchantScope
): Effect.fn.Return<Option.Option<Merchant>, MerchantNotActive | StoreError> {
  const found = yield* store.find(merchantId)
  if (Option.isNone(found) || hasSandboxAccess(found.value.status)) return found
  return yield* new MerchantNotActive({ merchantId, environment, status: found.value.status })
})

/** Returns the merchant. Fails if it is unknown, REJECTED or CLOSED. */
export const openMerchant = Effect.fnUntraced(function* (
  store: MerchantStore["Service"],
  merchantId: MerchantId,
  environment: Environment | undefined
): Effect.fn.Return<Merchant, MerchantNotFound | MerchantNotActive | StoreError> {
  const found = yield* store.find(merchantId)
  if (Option.isNone(found)) return yield* new MerchantNotFound({ merchantId })
  const merchant = found.value
  if (hasSandboxAccess(merchant.status)) return merchant
  return yield* new MerchantNotActive({ merchantId, environment: environment ?? "TEST", status: merchant.status })
})
