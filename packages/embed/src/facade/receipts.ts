import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { UserId } from "@surety/core/Ids"
import { toPage } from "@surety/http/field/Paging"
import { ReceiptRecord, receiptRecord } from "@surety/http/operator/ConsentRecords"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const record = plain(ReceiptRecord)

/** The proof of who consented to what: a hash chain for each merchant and environment. */
export const receipts = (run: Run) => ({
  /** The last one of the chain first; of one person when `userId` is given. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.gen(function* () {
        const book = yield* Receipts
        const { data, nextCursor } = yield* readPage(["receipts.list", merchantId, environment], page, (request) =>
          book.list({ merchantId, environment }, { userId }, request)
        )
        const read = yield* Effect.forEach(data, receiptRecord)
        return toPage({ data: read, nextCursor }, (each) => record(each))
      })
  ),

  /** Reads the whole chain and checks it. No `faults` is as it should be; note `end` elsewhere to compare it later. */
  verifyChain: call(run, Schema.Struct(scopeFields), (scope) =>
    Effect.flatMap(Receipts, (book) => book.verifyChain(scope))
  )
})
