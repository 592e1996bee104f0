import { Context, Effect, Layer, type Option } from "effect"
import { Digest } from "effect/crypto"
import type { ReceiptId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import type { Grant } from "../grant/Grant.js"
import type { Receipt } from "./Receipt.js"
import * as ReceiptChain from "./ReceiptChain.js"

/** The result of checking a chain. */
export interface ChainReport {
  /** How many receipts were read. */
  readonly receipts: number
  /** Where the chain ends now. Note it elsewhere: a fully replaced chain is only detected by an end recorded earlier. */
  readonly end: ReceiptChain.ChainHead
  /** Empty if the chain is intact. */
  readonly faults: ReadonlyArray<ReceiptChain.ChainFault>
}

/** The proof of who consented to what: a hash chain for each merchant and environment. */
export class Receipts extends Context.Service<
  Receipts,
  {
    /** A merchant's receipts, the last of its chain first. */
    readonly list: (
      scope: MerchantScope,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** The receipts of one grant of the merchant's, oldest first: that it was given, and how it ended. */
    readonly listOfGrant: (
      scope: MerchantScope,
      grant: Pick<Grant, "id" | "userId">
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /** One person's receipts, of all chains in the listing, newest first. */
    readonly listOfPerson: (
      listing: ConsentListing,
      userId: UserId,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** A receipt of that person, from a chain in the listing. */
    readonly getOfPerson: (
      listing: ConsentListing,
      userId: UserId,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /** Reads and checks the merchant's whole chain in that environment: see `ReceiptChain`. */
    readonly verifyChain: (scope: MerchantScope) => Effect.Effect<ChainReport, StoreError>
  }
>()("@surety/core/consent/receipt/Receipts") {}

const readAtOnce = 500

/** Undefined if a row is no receipt. */
const readable = <A>(read: Effect.Effect<A, StoreError>): Effect.Effect<A | undefined, StoreError> =>
  Effect.catchIf(
    read,
    ({ reason }) => reason._tag === "StoreCorrupt",
    () => Effect.succeed(undefined)
  )

export const layer: Layer.Layer<Receipts, never, ConsentLog | Digest.Digest> = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const digest = yield* Digest.Digest

    const verifyChain = Effect.fn("Receipts.verifyChain")(
      function* (scope: MerchantScope) {
        const end = yield* log.chainEnd(scope)
        let followed = ReceiptChain.start
        let count = 0
        let limit = readAtOnce
        let reached = ReceiptChain.hasReached([], end)
        while (true) {
          const after = followed.head.sequence
          const receipts = yield* readable(log.chain(scope, after, limit))
          if (receipts === undefined) {
            // Reads one at a time, to find which receipt cannot be read.
            if (limit > 1) {
              limit = 1
              continue
            }
            if (after >= end.sequence) break
            const [next] = (yield* readable(log.chain(scope, after + 1, 1))) ?? []
            followed = ReceiptChain.skip(followed, next)
            limit = readAtOnce
            continue
          }
          followed = yield* ReceiptChain.follow(scope, followed, receipts)
          count += receipts.length
          reached ||= ReceiptChain.hasReached(receipts, end)
          if (receipts.length < limit) break
        }
        const faults = reached ? followed.faults : [...followed.faults, ReceiptChain.endMissing(end)]
        const report: ChainReport = { receipts: count, end: followed.head, faults }
        return report
      },
      Effect.provideService(Digest.Digest, digest)
    )

    return Receipts.of({
      list: log.listReceipts,
      listOfGrant: log.listGrantReceipts,
      listOfPerson: log.listPersonReceipts,
      getOfPerson: log.findPersonReceipt,
      verifyChain
    })
  })
)
