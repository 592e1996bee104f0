import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Search } from "@surety/core/search/Search"
import { Effect, Redacted } from "effect"
import { type PageView, RecordMissing } from "./ConsolePage.js"

/**
 * Finds a record by its complete id and returns its merchant and environment. Fails with `RecordMissing` unless the
 * record belongs to a merchant and to the page's environment.
 */
export const placeOf = Effect.fnUntraced(function* ({ environment }: PageView, id: string) {
  const found = yield* (yield* Search).find(environment, Redacted.make(id))
  const merchantId = found._tag === "Record" ? found.place.merchantId : undefined
  if (found._tag !== "Record" || found.place.environment !== environment || merchantId === undefined) {
    return yield* new RecordMissing()
  }
  const scope: MerchantScope = { merchantId, environment }
  return scope
})
