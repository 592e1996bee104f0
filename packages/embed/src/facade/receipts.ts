import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { UserId } from "@surety/core/Ids"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainReceipt } from "../record/Consent.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

/** The proof of who consented to what: a hash chain for each merchant and environment. */
export const receipts = (run: Run) => ({
  /** The last one of the chain first; of one person when `userId` is given. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.gen(function* () {
        const book = yield* Receipts
        const { data, nextCursor } = yield* readHostPage(["receipts.list", merchantId, environment], page, (request) =>
          book.list({ merchantId, environment }, { userId }, request)
        )
        return toPage({ data: yield* Effect.forEach(data, plainReceipt), nextCursor }, (receipt) => receipt)
      })
  ),

  /** Reads the whole chain and checks it. No `faults` is as it should be; note `end` elsewhere to compare it later. */
  verifyChain: call(run, Schema.Struct(scopeFields), (scope) =>
    Effect.flatMap(Receipts, (book) => book.verifyChain(scope))
  )
})
