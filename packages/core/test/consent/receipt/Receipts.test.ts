import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer } from "effect"
import * as Sample from "../ConsentSamples.js"
import { chainOf, endOf } from "./receiptChains.js"

const corrupt = new StoreError({
  operation: "ConsentLog.chain",
  reason: new StoreCorrupt({ cause: new Error("no such column") })
})
const unavailable = new StoreError({
  operation: "ConsentLog.chain",
  reason: new StoreUnavailable({ cause: new Error("connection reset") })
})

interface Kept {
  readonly receipts: ReadonlyArray<Receipt>
  /** End of the chain as recorded by the store. */
  readonly end: ReceiptChain.ChainHead
  /** Sequence numbers of receipts whose rows cannot be read. */
  readonly unreadable?: ReadonlyArray<number>
}

/** Verifies such a chain. Returns the report and the reads made. */
const verified = ({ end, receipts, unreadable = [] }: Kept) => {
  const reads: Array<readonly [after: number, limit: number]> = []
  const log = Layer.mock(ConsentLog)({
    chainEnd: () => Effect.succeed(end),
    chain: (_scope, after, limit) =>
      Effect.suspend(() => {
        reads.push([after, limit])
        const page = receipts.filter(({ sequence }) => sequence > after).slice(0, limit)
        return page.some(({ sequence }) => unreadable.includes(sequence)) ? Effect.fail(corrupt) : Effect.succeed(page)
      })
  })
  return Effect.gen(function* () {
    const book = yield* Receipts.Receipts
    const report = yield* book.verifyChain(Sample.scope)
    return { ...report, faults: report.faults.map(({ reason, sequence }) => `${reason} at ${sequence}`), reads }
  }).pipe(Effect.provide(Receipts.layer.pipe(Layer.provide([log, NodeCrypto.layer]))))
}

/** Runs the next check of such a chain. Returns the report, the reads made and the ends stored. */
const next = ({
  afresh = false,
  end,
  kept,
  receipts
}: Kept & { readonly kept: ReceiptChain.ChainHead; readonly afresh?: boolean }) => {
  const reads: Array<readonly [after: number, limit: number]> = []
  const saved: Array<ReceiptChain.ChainHead> = []
  const log = Layer.mock(ConsentLog)({
    chainEnd: () => Effect.succeed(end),
    verifiedEnd: () => Effect.succeedSome(kept),
    keepVerifiedEnd: (_scope, reached) => Effect.sync(() => void saved.push(reached)),
    chain: (_scope, after, limit) =>
      Effect.sync(() => {
        reads.push([after, limit])
        return receipts.filter(({ sequence }) => sequence > after).slice(0, limit)
      })
  })
  return Effect.gen(function* () {
    const report = yield* (yield* Receipts.Receipts).verifyNext(Sample.scope, afresh)
    return { report, reads, saved }
  }).pipe(Effect.provide(Receipts.layer.pipe(Layer.provide([log, NodeCrypto.layer]))))
}

const chainsOf = (length: number) => Effect.provide(chainOf(length), NodeCrypto.layer)

describe("The check of a merchant's receipts", () => {
  it.effect("finds an empty chain whole", () =>
    Effect.gen(function* () {
      const report = yield* verified({ receipts: [], end: ReceiptChain.genesis })
      assert.deepStrictEqual(report, { receipts: 0, end: ReceiptChain.genesis, faults: [], reads: [[0, 500]] })
    })
  )

  it.effect("reads a long chain page by page, to its end", () =>
    Effect.gen(function* () {
      for (const length of [499, 500, 501]) {
        const receipts = yield* chainsOf(length)
        const { reads, ...report } = yield* verified({ receipts, end: endOf(receipts) })
        assert.deepStrictEqual(report, { receipts: length, end: endOf(receipts), faults: [] })
        assert.deepStrictEqual(
          reads,
          length === 499
            ? [[0, 500]]
            : [
                [0, 500],
                [500, 500]
              ]
        )
      }
    })
  )

  it.effect("reports an end that the receipts do not reach", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(3)
      const lost = yield* verified({ receipts: receipts.slice(0, 2), end: endOf(receipts) })
      assert.deepStrictEqual(lost.faults, ["end_missing at 3"])
      const none = yield* verified({ receipts: [], end: endOf(receipts) })
      assert.deepInclude(none, { receipts: 0, faults: ["end_missing at 3"] })
    })
  )

  it.effect("names each receipt that cannot be read, and checks the others", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(5)
      const end = endOf(receipts)
      for (const unreadable of [[1], [3], [2, 3], [1, 4]]) {
        const report = yield* verified({ receipts, end, unreadable })
        assert.deepStrictEqual(
          report.faults,
          unreadable.map((sequence) => `unreadable at ${sequence}`)
        )
        assert.strictEqual(report.receipts, 5 - unreadable.length)
        assert.deepStrictEqual(report.end, end)
      }
      const changed = receipts.map((one) => (one.sequence === 5 ? { ...one, body: "{}" } : one))
      const report = yield* verified({ receipts: changed, end, unreadable: [2] })
      assert.deepStrictEqual(report.faults, ["unreadable at 2", "content_differs at 5"])
    })
  )

  it.effect("ends at a last receipt that cannot be read", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(3)
      const report = yield* verified({ receipts, end: endOf(receipts), unreadable: [3] })
      assert.deepInclude(report, { receipts: 2, faults: ["unreadable at 3", "end_missing at 3"] })
      const beyond = yield* verified({ receipts, end: endOf(receipts.slice(0, 2)), unreadable: [3] })
      assert.deepStrictEqual(beyond.faults, [])
    })
  )

  it.effect("reads whole pages again once it is past a receipt that cannot be read", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(4)
      const { reads } = yield* verified({ receipts, end: endOf(receipts), unreadable: [2] })
      assert.deepStrictEqual(reads, [
        [0, 500],
        [0, 1],
        [1, 1],
        [2, 1],
        [2, 500]
      ])
    })
  )

  it.effect("goes on behind the end that it kept, and reads only the receipt there again", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(5)
      const kept = ReceiptChain.headAt(receipts[2] ?? assert.fail("there are five"))
      const { reads, report, saved } = yield* next({ receipts, end: endOf(receipts), kept })
      assert.deepStrictEqual(report, { receipts: 5, end: endOf(receipts), faults: [] })
      assert.deepStrictEqual(reads, [
        [2, 1],
        [3, 500]
      ])
      assert.deepStrictEqual(saved, [endOf(receipts)])
      const again = yield* next({ receipts, end: endOf(receipts), kept: endOf(receipts) })
      assert.deepStrictEqual(again.report, report)
      assert.deepStrictEqual(again.saved, [], "nothing new")
      const afresh = yield* next({ receipts, end: endOf(receipts), kept, afresh: true })
      assert.deepInclude(afresh.reads, [0, 500])
    })
  )

  it.effect("keeps no end behind a fault, so that the next call finds it again", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(5)
      const kept = ReceiptChain.headAt(receipts[2] ?? assert.fail("there are five"))
      const changed = receipts.map((one) => (one.sequence === 4 ? { ...one, body: "{}" } : one))
      const { report, saved } = yield* next({ receipts: changed, end: endOf(receipts), kept })
      assert.deepStrictEqual(report.faults, [{ sequence: 4, reason: "content_differs" }])
      assert.deepStrictEqual(saved, [])
    })
  )

  it.effect("finds that a chain was replaced or cut since its end was kept, though it is intact", () =>
    Effect.gen(function* () {
      const receipts = yield* chainsOf(3)
      const kept = { ...endOf(receipts), hash: ReceiptChain.genesis.hash }
      const replaced = yield* next({ receipts, end: endOf(receipts), kept })
      assert.deepStrictEqual(replaced.report.faults, [{ sequence: 3, reason: "end_missing" }])
      assert.deepStrictEqual(replaced.saved, [])
      const rest = receipts.slice(0, 2)
      const cut = yield* next({ receipts: rest, end: endOf(rest), kept: endOf(receipts) })
      assert.deepStrictEqual(cut.report.faults, [{ sequence: 3, reason: "end_missing" }])
    })
  )

  it.effect("fails if the store cannot be reached", () =>
    Effect.gen(function* () {
      const log = Layer.mock(ConsentLog)({
        chainEnd: () => Effect.succeed(ReceiptChain.genesis),
        chain: () => Effect.fail(unavailable)
      })
      const failed = yield* Effect.flatMap(Receipts.Receipts, (book) =>
        Effect.flip(book.verifyChain(Sample.scope))
      ).pipe(Effect.provide(Receipts.layer.pipe(Layer.provide([log, NodeCrypto.layer]))))
      assert.strictEqual(failed.reason._tag, "StoreUnavailable")
    })
  )
})
