import { Grants } from "@surety/core/consent/grant/Grants"
import { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { GrantId } from "@surety/core/Ids"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainReceipt, plainSignedReceipt } from "../record/Consent.js"
import { pagingFields, readHostPage, whole } from "./input/paging.js"
import { listedUserId, personFields, scopeFields } from "./input/scopeAndPerson.js"

/** Proof of who consented to what: one hash chain per merchant and environment. */
export const receipts = (run: Run) => ({
  /** A merchant's receipts, newest first, optionally for one person only. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, ...personFields, ...pagingFields }),
    ({ environment, merchantId, serviceId, userId: named, ...page }) =>
      Effect.gen(function* () {
        const book = yield* Receipts
        const userId = yield* listedUserId(environment, { serviceId, userId: named })
        const { data, nextCursor } = yield* readHostPage(["receipts.list", merchantId, environment], page, (request) =>
          book.list({ merchantId, environment }, { userId }, request)
        )
        return toPage({ data: yield* Effect.forEach(data, plainReceipt), nextCursor }, (receipt) => receipt)
      })
  ),

  /**
   * The receipts of one grant, oldest first, each with a JWS that proves it to a third party. The public keys that
   * verify a JWS are served at `/.well-known/jwks.json` below `basePath`.
   */
  ofGrant: call(run, Schema.Struct({ ...scopeFields, grantId: GrantId }), ({ grantId, ...scope }) =>
    Effect.gen(function* () {
      const book = yield* Receipts
      const signer = yield* ReceiptSigner
      const grant = yield* (yield* Grants).get({ id: grantId, scope })
      return whole(
        yield* Effect.forEach(yield* book.listOfGrant(scope, grant), (receipt) =>
          Effect.flatMap(signer.sign(receipt), (jws) => plainSignedReceipt(receipt, jws))
        )
      )
    })
  ),

  /**
   * Reads and checks the complete chain. An intact chain has no `faults`. Store `end` outside this database. Only a
   * comparison with an earlier `end` reveals a fully replaced chain.
   */
  verifyChain: call(run, Schema.Struct(scopeFields), (scope) =>
    Effect.flatMap(Receipts, (book) => book.verifyChain(scope))
  )
})
