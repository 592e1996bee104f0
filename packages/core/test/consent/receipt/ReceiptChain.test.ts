import { createHash } from "node:crypto"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { type Receipt, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import { canonicalJson } from "@surety/core/consent/receipt/ReceiptDrafts"
import { MerchantId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Schema } from "effect"
import * as Sample from "../ConsentSamples.js"
import { chainOf, endOf } from "./receiptChains.js"

// Destructured, because a call of `skip` on a module would look like a skipped test.
const { skip } = ReceiptChain

const stranger: MerchantScope = {
  merchantId: MerchantId.make(Sample.scope.merchantId.replace(/.$/u, "7")),
  environment: "TEST"
}

const faultsOf = (receipts: ReadonlyArray<Receipt>, end?: ReceiptChain.ChainHead) =>
  Effect.map(ReceiptChain.verify(Sample.scope, receipts, end), (faults) =>
    faults.map(({ reason, sequence }) => `${reason} at ${sequence}`)
  )

const replaced = (receipts: ReadonlyArray<Receipt>, index: number, change: (receipt: Receipt) => Receipt) =>
  receipts.map((receipt, position) => (position === index ? change(receipt) : receipt))

layer(NodeCrypto.layer)("A chain of receipts", (it) => {
  it.effect("hashes each receipt after the hash of the one before it, and can be checked with any SHA-256", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(3)
      let previousHash = "0".repeat(64)
      for (const [index, receipt] of receipts.entries()) {
        const hash = createHash("sha256")
          .update(previousHash + receipt.body, "utf8")
          .digest("hex")
        assert.deepStrictEqual<ReadonlyArray<unknown>>(
          [receipt.sequence, receipt.previousHash, receipt.hash],
          [index + 1, previousHash, hash]
        )
        assert.strictEqual(canonicalJson(JSON.parse(receipt.body)), receipt.body)
        previousHash = hash
      }
    })
  )

  it.effect("is intact if unchanged, at any length", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf([]), [])
      assert.deepStrictEqual(yield* faultsOf([], ReceiptChain.genesis), [])
      const receipts = yield* chainOf(5)
      assert.deepStrictEqual(yield* faultsOf(receipts), [])
      assert.deepStrictEqual(yield* faultsOf(receipts, endOf(receipts)), [])
      assert.deepStrictEqual(yield* faultsOf(receipts, endOf(receipts.slice(0, 3))), [], "it may have grown since")
    })
  )

  it.effect("is followed in parts as in one piece, with every fault of the parts before", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* chainOf(4)
      if (!a || !b || !c || !d) return assert.fail("there are four")
      const first = yield* ReceiptChain.follow(Sample.scope, ReceiptChain.start, [a, c])
      const both = yield* ReceiptChain.follow(Sample.scope, first, [d])
      assert.deepStrictEqual(both, { head: endOf([d]), faults: [{ sequence: 3, reason: "out_of_sequence" }] })
    })
  )

  it.effect("reaches an end with its number and its hash, not with one of them", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(3)
      const { hash, sequence } = endOf(receipts)
      assert.isTrue(ReceiptChain.hasReached(receipts, { hash, sequence }))
      assert.isFalse(ReceiptChain.hasReached(receipts, { hash, sequence: 2 }))
      assert.isFalse(ReceiptChain.hasReached(receipts, { hash: ReceiptChain.genesis.hash, sequence }))
      assert.isTrue(ReceiptChain.hasReached([], ReceiptChain.genesis))
    })
  )

  it.effect("shows a gap, another order and a repetition", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* chainOf(4)
      if (!a || !b || !c || !d) return assert.fail("there are four")
      assert.deepStrictEqual(yield* faultsOf([a, b, d]), ["out_of_sequence at 4"])
      assert.deepStrictEqual(yield* faultsOf([b, c, d]), ["out_of_sequence at 2"])
      assert.deepStrictEqual(yield* faultsOf([a, c, b, d]), [
        "out_of_sequence at 3",
        "out_of_sequence at 2",
        "out_of_sequence at 4"
      ])
      assert.deepStrictEqual(yield* faultsOf([a, b, b, c, d]), ["out_of_sequence at 2"])
    })
  )

  it.effect("shows a gap and another order also if the numbers were set right", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* chainOf(4)
      if (!a || !b || !c || !d) return assert.fail("there are four")
      assert.deepStrictEqual(yield* faultsOf([a, b, { ...d, sequence: 3 }]), ["previous_hash_differs at 3"])
      const swapped = [a, { ...c, sequence: 2 }, { ...b, sequence: 3 }, d]
      assert.deepStrictEqual(yield* faultsOf(swapped), [
        "previous_hash_differs at 2",
        "previous_hash_differs at 3",
        "previous_hash_differs at 4"
      ])
    })
  )

  it.effect("detects a chain that was rewritten and rehashed as a whole, by an end recorded earlier", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(4)
      const end = endOf(receipts)
      const rewritten: Array<Receipt> = []
      for (const receipt of receipts) {
        const last = rewritten.at(-1)
        const body = receipt.body.replace('"email"', '"kyc_status"')
        const head = last ? ReceiptChain.headAt(last) : ReceiptChain.genesis
        rewritten.push(yield* ReceiptChain.append(head, { ...receipt, body }))
      }
      assert.deepStrictEqual(yield* faultsOf(rewritten), [], "alone it is intact")
      assert.deepStrictEqual(yield* faultsOf(rewritten, end), ["end_missing at 4"])
    })
  )

  it.effect("shows a receipt that is of another merchant, environment or receipt, in its row or in its text", () =>
    Effect.gen(function* () {
      const [first, second] = yield* chainOf(2)
      if (!first || !second) return assert.fail("there are two")
      const other = { merchantId: stranger.merchantId, environment: "LIVE" as const }
      const inRow = (change: Partial<Receipt>) => ReceiptChain.append(ReceiptChain.genesis, { ...first, ...change })
      const inText = (from: string, to: string) => {
        assert.include(first.body, from)
        return ReceiptChain.append(ReceiptChain.genesis, { ...first, body: first.body.replace(from, to) })
      }
      const text = `"merchantId":"${Sample.scope.merchantId}"`
      for (const receipt of [
        yield* inRow({ merchantId: other.merchantId }),
        yield* inRow({ environment: other.environment }),
        yield* inRow({ id: second.id }),
        yield* inText(text, `"merchantId":"${other.merchantId}"`),
        yield* inText('"environment":"TEST"', '"environment":"LIVE"'),
        yield* inText(`"receiptId":"${first.id}"`, `"receiptId":"${second.id}"`)
      ]) {
        assert.deepStrictEqual(yield* faultsOf([receipt]), ["not_of_this_chain at 1"])
      }
    })
  )

  it.effect("shows where a text was changed, and where the hash was made to fit it", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(3)
      const changed = replaced(receipts, 1, (receipt) => ({
        ...receipt,
        body: receipt.body.replace('"email"', '"kyc_status"')
      }))
      assert.deepStrictEqual(yield* faultsOf(changed), ["content_differs at 2"])
      const fitted = replaced(changed, 1, (receipt) => ({
        ...receipt,
        hash: ReceiptHash.make(
          createHash("sha256")
            .update(receipt.previousHash + receipt.body)
            .digest("hex")
        )
      }))
      assert.deepStrictEqual(yield* faultsOf(fitted), ["previous_hash_differs at 3"])
    })
  )

  it.effect("detects that its end is missing, given the end", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(3)
      assert.deepStrictEqual(yield* faultsOf(receipts.slice(0, 2), endOf(receipts)), ["end_missing at 3"])
      assert.deepStrictEqual(yield* faultsOf([], endOf(receipts)), ["end_missing at 3"])
    })
  )

  it.effect("shows receipts of another merchant or environment, and texts that are none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf(yield* chainOf(1, stranger)), ["not_of_this_chain at 1"])
      const live = yield* chainOf(1, { ...Sample.scope, environment: "LIVE" })
      assert.deepStrictEqual(yield* faultsOf(live), ["not_of_this_chain at 1"])
      const [receipt] = yield* chainOf(1)
      if (!receipt) return assert.fail("there is one")
      const nonsense = yield* ReceiptChain.append(ReceiptChain.genesis, { ...receipt, body: "{}" })
      assert.deepStrictEqual(yield* faultsOf([nonsense]), ["not_of_this_chain at 1"])
    })
  )

  const length = 6
  const index = Schema.Literals([0, 1, 2, 3, 4, 5])

  it.effect.prop(
    "shows every single thing that is done to it",
    {
      at: index,
      to: index,
      deed: Schema.Literals(["remove", "swap", "repeat", "text", "hash", "previous", "number", "foreign"])
    },
    ({ at, deed, to }) =>
      Effect.gen(function* () {
        const receipts = yield* chainOf(length)
        const foreign = yield* chainOf(length, stranger)
        const one = receipts[at] ?? assert.fail("it is in the chain")
        const other = receipts[to] ?? assert.fail("it is in the chain")
        const noHash = ReceiptHash.make("f".repeat(64))
        const touched = {
          remove: receipts.filter((receipt) => receipt !== one),
          swap: receipts.map((receipt) => (receipt === one ? other : receipt === other ? one : receipt)),
          repeat: [...receipts.slice(0, to), one, ...receipts.slice(to)],
          text: replaced(receipts, at, (receipt) => ({ ...receipt, body: receipt.body.replace('"NG"', '"GH"') })),
          hash: replaced(receipts, at, (receipt) => ({ ...receipt, hash: noHash })),
          previous: replaced(receipts, at, (receipt) => ({ ...receipt, previousHash: noHash })),
          number: replaced(receipts, at, (receipt) => ({ ...receipt, sequence: receipt.sequence + to + 1 })),
          foreign: replaced(receipts, at, (receipt) => foreign[at] ?? receipt)
        }[deed]
        const faults = yield* faultsOf(touched, endOf(receipts))
        assert.strictEqual(faults.length === 0, deed === "swap" && at === to)
      })
  )
})

layer(NodeCrypto.layer)("A receipt that cannot be read", (it) => {
  it.effect("is a fault at its place, and those after it are checked as if it were there", () =>
    Effect.gen(function* () {
      const [first, second, third, fourth] = yield* chainOf(4)
      if (!first || !second || !third || !fourth) return assert.fail("there are four")
      const before = yield* ReceiptChain.follow(Sample.scope, ReceiptChain.start, [first])
      const past = skip(before, third)
      assert.deepStrictEqual(past.faults, [{ sequence: 2, reason: "unreadable" }])
      const whole = yield* ReceiptChain.follow(Sample.scope, past, [third, fourth])
      assert.deepStrictEqual(whole, { head: ReceiptChain.headAt(fourth), faults: past.faults })
    })
  )

  it.effect("leaves the hash before it as the chain's, if it is the last one", () =>
    Effect.gen(function* () {
      const receipts = yield* chainOf(2)
      const before = yield* ReceiptChain.follow(Sample.scope, ReceiptChain.start, receipts)
      const past = skip(skip(before, undefined), undefined)
      assert.deepStrictEqual(past, {
        head: { sequence: 4, hash: endOf(receipts).hash },
        faults: [
          { sequence: 3, reason: "unreadable" },
          { sequence: 4, reason: "unreadable" }
        ]
      })
    })
  )
})

describe("Canonical JSON", () => {
  it("has its keys in order at every depth, and no white space", () => {
    assert.strictEqual(
      canonicalJson({ b: [{ z: 1, a: null }], a: "ü\n", é: true, B: {} }),
      '{"B":{},"a":"ü\\n","b":[{"a":null,"z":1}],"é":true}'
    )
  })

  it.prop(
    "is the same for a value whose keys stand in another order, and says the same",
    {
      value: Schema.Record(
        Schema.String.check(Schema.isPattern(/^[a-z]{1,3}$/u)),
        // Excludes one-character keys: in Node 24, JSON.parse occasionally reads an escaped one-character key as a
        // backslash.
        Schema.Record(Schema.String.check(Schema.makeFilter((key) => key.length !== 1)), Schema.Int)
      )
    },
    ({ value }) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())
      assert.strictEqual(canonicalJson(turned), canonicalJson(value))
      assert.deepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }
  )
})
