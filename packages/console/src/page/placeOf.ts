import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Search } from "@surety/core/search/Search"
import { Effect, Redacted } from "effect"
import { type PageView, RecordMissing } from "./ConsolePage.js"

/** Whose a merchant's record is, by its whole id. One of the other environment is missing here. */
export const placeOf = Effect.fnUntraced(function* ({ environment }: PageView, id: string) {
  const found = yield* (yield* Search).find(environment, Redacted.make(id))
  const merchantId = found._tag === "Record" ? found.place.merchantId : undefined
  if (found._tag !== "Record" || found.place.environment !== environment || merchantId === undefined) {
    return yield* new RecordMissing()
  }
  const scope: MerchantScope = { merchantId, environment }
  return scope
})
