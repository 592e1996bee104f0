import { Context, Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import type { ReceiptId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import type { Grant } from "../grant/Grant.js"
import type { Receipt } from "./Receipt.js"
import * as ReceiptChain from "./ReceiptChain.js"

export interface ChainReport {
  /** Number of receipts checked, including those checked by an earlier `verifyNext`. */
  readonly receipts: number
  /**
   * End of the chain as read from its receipts. Record it elsewhere, so that a fully replaced chain can be detected.
   */
  readonly end: ReceiptChain.ChainHead
  /** Empty if the chain is intact. */
  readonly faults: ReadonlyArray<ReceiptChain.ChainFault>
}

/** Lists and verifies receipts. They form one hash chain per merchant and environment. */
export class Receipts extends Context.Service<
  Receipts,
  {
    /** Lists a merchant's receipts in reverse chain order. */
    readonly list: (
      scope: MerchantScope,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /**
     * Lists the receipts for one of the merchant's grants, oldest first. A grant has one receipt for its start and,
     * once its end is recorded, one for its end.
     */
    readonly listOfGrant: (
      scope: MerchantScope,
      grant: Pick<Grant, "id" | "userId">
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /** Lists one person's receipts within the listing's scope, newest first. */
    readonly listOfPerson: (
      listing: ConsentListing,
      userId: UserId,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** Finds a receipt by id. `None` unless it is about this person and within the listing's scope. */
    readonly getOfPerson: (
      listing: ConsentListing,
      userId: UserId,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /**
     * Checks the merchant's full chain in the environment. Reports `end_missing` if the chain lacks the end that is
     * stored apart from the receipts.
     */
    readonly verifyChain: (scope: MerchantScope) => Effect.Effect<ChainReport, StoreError>

    /**
     * Like `verifyChain`, but skips the receipts that an earlier call verified, unless `afresh` is true. Records how
     * far an intact chain was verified, so that an interrupted run over many chains can be resumed.
     *
     * Also checks that the last verified receipt is still in the chain and the stored end is not before it. If either
     * check fails, checks the full chain and also reports `end_missing`.
     */
    readonly verifyNext: (scope: MerchantScope, afresh: boolean) => Effect.Effect<ChainReport, StoreError>
  }
>()("@surety/core/consent/receipt/Receipts") {}

const readAtOnce = 500

/** Returns undefined instead of failing if a row does not decode as a receipt. */
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

    const followFrom = Effect.fnUntraced(
      function* (scope: MerchantScope, known: ReceiptChain.ChainHead, end: ReceiptChain.ChainHead) {
        let followed: ReceiptChain.Followed = { ...ReceiptChain.start, head: known }
        let count = known.sequence
        let limit = readAtOnce
        let reached = end.sequence === known.sequence && end.hash === known.hash
        while (true) {
          const after = followed.head.sequence
          const receipts = yield* readable(log.chain(scope, after, limit))
          if (receipts === undefined) {
            // Falls back to reading one receipt at a time, to locate the unreadable one.
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

    const verifyChain = Effect.fn("Receipts.verifyChain")(function* (scope: MerchantScope) {
      return yield* followFrom(scope, ReceiptChain.genesis, yield* log.chainEnd(scope))
    })

    const stillHas = Effect.fnUntraced(function* (
      scope: MerchantScope,
      known: ReceiptChain.ChainHead,
      end: ReceiptChain.ChainHead
    ) {
      if (end.sequence < known.sequence) return false
      const [last] = (yield* readable(log.chain(scope, known.sequence - 1, 1))) ?? []
      return last !== undefined && ReceiptChain.hasReached([last], known)
    })

    const verifyNext = Effect.fn("Receipts.verifyNext")(function* (scope: MerchantScope, afresh: boolean) {
      const kept = Option.getOrElse(yield* log.verifiedEnd(scope), () => ReceiptChain.genesis)
      const end = yield* log.chainEnd(scope)
      const isThere = kept.sequence === 0 || (yield* stillHas(scope, kept, end))
      const found = yield* followFrom(scope, afresh || !isThere ? ReceiptChain.genesis : kept, end)
      if (!isThere) return { ...found, faults: [...found.faults, ReceiptChain.endMissing(kept)] }
      const isNew = found.end.sequence !== kept.sequence || found.end.hash !== kept.hash
      if (isNew && found.faults.length === 0) yield* log.keepVerifiedEnd(scope, found.end)
      return found
    })

    return Receipts.of({
      list: log.listReceipts,
      listOfGrant: log.listGrantReceipts,
      listOfPerson: log.listPersonReceipts,
      getOfPerson: log.findPersonReceipt,
      verifyChain,
      verifyNext
    })
  })
)
