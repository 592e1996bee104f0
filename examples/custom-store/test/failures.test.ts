import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { Ledger } from "@surety/core/ledger/Ledger"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Readiness } from "@surety/core/Readiness"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer } from "effect"
import * as Database from "../src/Database.ts"
import * as SqliteStores from "../src/SqliteStores.ts"

const patienceMillis = 50

/** Stores on a file of their own, and another connection to it, as of another process or of a person's. */
const makeStores = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "custom-store-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const file = join(directory, "surety.sqlite")
  const stores = yield* SqliteStores.layer.pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(Database.layer(file, patienceMillis)),
    Layer.build
  )
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file)),
    (opened) => Effect.sync(() => opened.close())
  )
  return { stores, other }
})

it.effect("A writer that does not come to an end makes the store unavailable, and nothing is stored", () =>
  Effect.gen(function* () {
    const { other, stores } = yield* makeStores
    const merchant = yield* Effect.provideContext(FreshMerchant.make(), stores)
    other.exec("begin immediate")
    const error = yield* Effect.flip(Effect.provideContext(FreshPayment.settled(), stores))
    assert.deepInclude(error, { _tag: "StoreError", isRetryable: true })
    const { find } = yield* Effect.provideContext(MerchantStore, stores)
    assert.isTrue((yield* find(merchant.id))._tag === "Some", "readers do not wait for the writer")
    other.exec("rollback")
    yield* Effect.provideContext(FreshPayment.settled(), stores)
  })
)

it.effect("A row that holds no record of its kind is told of without its content", () =>
  Effect.gen(function* () {
    const { other, stores } = yield* makeStores
    const { id } = yield* Effect.provideContext(FreshMerchant.make(), stores)
    other.prepare("update merchant set record = json_remove(record, '$.status') where id = ?").run(id)
    const { find } = yield* Effect.provideContext(MerchantStore, stores)
    const error = yield* Effect.flip(find(id))
    assert.strictEqual(error.message, "MerchantStore.find: StoreCorrupt")
    assert.notInclude(String(error.reason.cause), id)
  })
)

it.effect("A file with the tables of another version is not ready", () =>
  Effect.gen(function* () {
    const { other, stores } = yield* makeStores
    const { check } = yield* Effect.provideContext(Readiness, stores)
    yield* check
    other.exec("pragma user_version = 3")
    const { detail } = yield* Effect.flip(check)
    assert.strictEqual(detail, "the tables are of version 3, not of 2")
  })
)

/** A refund, and a reading under a request that was approved: one of everything that is told, or final. */
const makeHistory = Effect.gen(function* () {
  const sale = yield* FreshPayment.settled({ amountMinor: 100n })
  yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 30n })
  const { consumer, scope } = yield* FreshConsent.parties()
  const { request } = yield* ConsentAttempt.asked(scope, consumer)
  yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
  yield* ConsentAttempt.read(scope, consumer)
})

const tamperings: ReadonlyArray<readonly [what: string, check: string, statement: string]> = [
  ["a changed balance", "balances_equal_postings", "update account set balance_minor = balance_minor + 1"],
  [
    "a changed total",
    "refunded_equals_refunds",
    "update payment set record = json_set(record, '$.refundedMinor', '1')"
  ],
  [
    "a refund of another amount",
    "transfers_have_causes",
    "update refund set record = json_set(record, '$.refund.amount.minor', '7')"
  ],
  [
    "a refund that failed, and was not reversed",
    "transfers_have_causes",
    "update refund set record = json_set(record, '$.refund.status', 'FAILED')"
  ],
  [
    "a transfer of nothing",
    "transfers_have_causes",
    `insert into transfer (id, kind, debit, credit, amount_minor, cause, at)
      select 'transfer_x', 'REFUND', debit, credit, 1, 'none', at from transfer limit 1`
  ],
  [
    "a settlement that is not",
    "events_have_causes",
    "update payment set record = json_set(record, '$.status', 'PENDING')"
  ],
  [
    "an event of something that is not there",
    "events_have_causes",
    "update event set cause = 'none' where topic = 'transaction.settled'"
  ],
  ["a refund that nobody was told of", "events_have_causes", "delete from event where topic = 'refund.completed'"],
  [
    "a grant that nobody was told of",
    "events_have_causes",
    "delete from event where topic = 'merchant.identity.consent_granted'"
  ],
  [
    "a request that was approved, and nobody was told",
    "events_have_causes",
    "delete from event where topic = 'merchant.identity.request.approved'"
  ]
]

it.effect.each(tamperings)("The audit finds %s", ([, check, statement]) =>
  Effect.gen(function* () {
    const { other, stores } = yield* makeStores
    yield* Effect.provideContext(makeHistory, stores)
    const { audit } = yield* Effect.provideContext(Ledger, stores)
    assert.deepStrictEqual(yield* audit, [])
    other.exec(statement)
    assert.include(
      (yield* audit).map((fault) => fault.check),
      check
    )
  })
)

it.effect("Transfers, readings and receipts are never changed, by whomever", () =>
  Effect.gen(function* () {
    const { other, stores } = yield* makeStores
    yield* Effect.provideContext(makeHistory, stores)
    for (const [table, records] of [
      ["transfer", "transfers"],
      ["identity_read", "readings"],
      ["consent_receipt", "receipts"]
    ]) {
      const column = table === "transfer" ? "cause" : "record"
      assert.throws(() => other.exec(`update ${table} set ${column} = '{}'`), `${records} are final`)
      assert.throws(() => other.exec(`delete from ${table}`), `${records} are final`)
    }
  })
)
