import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { ConsentLog, type PersonFilter } from "../ConsentLog.js"
import type { Receipt } from "./Receipt.js"
import * as ReceiptChain from "./ReceiptChain.js"

/** What the check of a chain has found. */
export interface ChainReport {
  /** How many receipts were read. */
  readonly receipts: number
  /** Where the chain ends now. What is noted elsewhere tells later whether the receipts up to it are still the same. */
  readonly end: ReceiptChain.ChainHead
  /** Empty where nobody has touched the chain. */
  readonly faults: ReadonlyArray<ReceiptChain.ChainFault>
}

/** The proof of who consented to what. */
export interface ReceiptBook {
  /** A merchant's receipts, the last one of its chain first; of one person when `userId` is given. */
  readonly receipts: (
    scope: MerchantScope,
    filter: PersonFilter,
    page: PageRequest
  ) => Effect.Effect<Page<Receipt>, StoreError>

  /** Reads the whole chain of the merchant in that environment and checks it: see `ReceiptChain`. */
  readonly verifyChain: (scope: MerchantScope) => Effect.Effect<ChainReport, StoreError>
}

const readAtOnce = 500

export const make: Effect.Effect<ReceiptBook, never, ConsentLog | Digest.Digest> = Effect.gen(function* () {
  const log = yield* ConsentLog
  const digest = yield* Digest.Digest

  const verifyChain = Effect.fn("Consents.verifyChain")(
    function* (scope: MerchantScope) {
      const end = yield* log.chainEnd(scope)
      let followed = ReceiptChain.start
      let after = 0
      let count = 0
      let reached = ReceiptChain.hasReached([], end)
      while (true) {
        const receipts = yield* log.chain(scope, after, readAtOnce)
        followed = yield* ReceiptChain.follow(scope, followed, receipts)
        count += receipts.length
        reached ||= ReceiptChain.hasReached(receipts, end)
        after = followed.head.sequence
        if (receipts.length < readAtOnce) break
      }
      const faults = reached ? followed.faults : [...followed.faults, ReceiptChain.endMissing(end)]
      const report: ChainReport = { receipts: count, end: followed.head, faults }
      return report
    },
    Effect.provideService(Digest.Digest, digest)
  )

  return { receipts: log.listReceipts, verifyChain }
})
