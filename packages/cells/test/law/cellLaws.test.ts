import { assert, it } from "@effect/vitest"
import { CellUpkeep } from "@surety/cells/CellStores"
import type { CellName } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { nameOfPerson } from "@surety/core/consent/admission/OneTimeCodes"
import { dataChanged } from "@surety/core/consent/ConsentEvents"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { EventLog } from "@surety/core/event/EventLog"
import { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { Merchant, MerchantScope } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { Readiness } from "@surety/core/Readiness"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as PageWalk from "@surety/testing/PageWalk"
import * as Past from "@surety/testing/Past"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Context, Duration, Effect, Exit, Layer, Option, Redacted } from "effect"
import { Digest } from "effect/crypto"
import * as TestCells from "../TestCells.js"

const { east, west } = TestCells

const cellOf = Effect.fnUntraced(function* ({ id }: Merchant) {
  const place = yield* (yield* CellDirectory).find(id)
  return Option.isSome(place) ? place.value.cell : assert.fail("the merchant is in the directory")
})

/** Creates merchants until one is in the given cell. New merchants go to the cell with the fewest merchants. */
const merchantIn = Effect.fnUntraced(function* (cell: CellName) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const merchant = yield* FreshMerchant.make()
    if ((yield* cellOf(merchant)) === cell) return merchant
  }
  return assert.fail("merchants are spread over both cells")
})

const neighbours = Effect.all([merchantIn(east), merchantIn(west)])

const customerOf = Effect.fnUntraced(function* (...scopes: readonly [MerchantScope, ...ReadonlyArray<MerchantScope>]) {
  const { consumer } = yield* FreshPayment.settled({ scope: scopes[0] })
  for (const scope of scopes.slice(1)) yield* FreshPayment.settled({ scope, consumer })
  return consumer
})

const holdingsOf = Effect.fnUntraced(function* ({ environment, serviceId }: Consumer, atMost?: number) {
  const holdings = yield* (yield* PersonLog).holdings(environment, serviceId, atMost)
  return Option.isSome(holdings) ? holdings.value : assert.fail("something is held of the person")
})

const layer = Layer.provideMerge(Past.layer, TestCells.twoServers)

it.layer(layer, { timeout: 120_000, excludeTestServices: true })("two cells", (it) => {
  it.effect("know one person, whose money and records are a sum over both", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const consumer = yield* customerOf(FreshMerchant.scopeOf(first), FreshMerchant.scopeOf(second))
      const { payments } = yield* holdingsOf(consumer)
      assert.sameMembers(
        payments.map(({ merchantId }) => merchantId),
        [first.id, second.id]
      )
      const newest = yield* holdingsOf(consumer, 1)
      assert.deepStrictEqual([newest.payments.length, newest.messages.length], [1, 1])
      const found = yield* (yield* ConsumerStore).findByServiceId(consumer.environment, consumer.serviceId)
      assert.strictEqual(Option.getOrUndefined(found)?.userId, consumer.userId)
    })
  )

  it.effect("both have a person's new details before the change returns", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const consumer = yield* customerOf(FreshMerchant.scopeOf(second), FreshMerchant.scopeOf(first))
      const store = yield* ConsumerStore
      const after = { ...consumer, displayName: Redacted.make("Ada Eze"), country: "GH" }
      assert.isTrue(yield* store.change(consumer, after, [], []))
      assert.isFalse(yield* store.change(consumer, after, [], []), "the details are others by now")
      const directory = yield* CellDirectory
      assert.deepStrictEqual(yield* directory.changesOf(consumer), [], "the change has ended")
      for (const cell of [east, west]) {
        const row = yield* TestCells.personIn(cell, consumer)
        assert.include(row, '"Ada Eze"', cell)
        assert.include(row, '"GH"', cell)
      }
    })
  )

  it.effect("restrict and erase a person in both, under one pseudonym", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const consumer = yield* customerOf(FreshMerchant.scopeOf(first), FreshMerchant.scopeOf(second))
      const persons = yield* PersonStore
      yield* persons.restrict(consumer.environment, consumer.serviceId, yield* Fresh.now)
      for (const cell of [east, west]) {
        assert.notInclude(yield* TestCells.personIn(cell, consumer), '"restricted_at": null', cell)
      }
      yield* ErasureAttempt.erased(consumer)
      const held = yield* persons.find(consumer.environment, consumer.serviceId)
      const person = Option.isSome(held) ? held.value : assert.fail("the identifier stays taken")
      assert.isDefined(person.erasedAt)
      for (const cell of [east, west]) {
        const row = yield* TestCells.personIn(cell, { ...consumer, userId: person.userId })
        assert.include(row, '"service_id": null', cell)
        assert.notInclude(row, "Ada", cell)
        assert.strictEqual(yield* TestCells.personIn(cell, consumer), "", "nothing is left under the former user id")
      }
      assert.strictEqual((yield* persons.remains(person)).payments, 2)
    })
  )

  it.effect("go on with an erasure that has reached one of them", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const consumer = yield* customerOf(FreshMerchant.scopeOf(first), FreshMerchant.scopeOf(second))
      const persons = yield* PersonStore
      const cut = yield* ErasureAttempt.planned(consumer)
      const pseudonym = yield* (yield* CellDirectory).pseudonym(consumer, cut.pseudonym)
      const inWest = yield* TestCells.storesOf(west)
      assert.isTrue(yield* Context.get(inWest, PersonStore).erase(cut))
      const before = yield* persons.find(consumer.environment, consumer.serviceId)
      assert.isUndefined(Option.getOrUndefined(before)?.erasedAt, "it is not over")
      yield* ErasureAttempt.erased(consumer)
      const held = yield* persons.find(consumer.environment, consumer.serviceId)
      assert.strictEqual(Option.getOrUndefined(held)?.userId, pseudonym)
      assert.notStrictEqual(yield* TestCells.personIn(west, { ...consumer, userId: pseudonym }), "")
    })
  )

  it.effect("end a person's change that a process has left open", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const consumer = yield* customerOf(FreshMerchant.scopeOf(first), FreshMerchant.scopeOf(second))
      const directory = yield* CellDirectory
      // Recreates the state after a crash: the home cell has the change, and the western cell does not have it yet.
      yield* directory.beginChange(consumer, east)
      const home = yield* TestCells.storesOf(east)
      const after = { ...consumer, country: "KE" }
      assert.isTrue(yield* Context.get(home, ConsumerStore).change(consumer, after, [], []))
      assert.include(yield* TestCells.personIn(west, consumer), '"NG"')
      const { resume } = yield* CellUpkeep
      assert.strictEqual(yield* resume(Duration.hours(1), 100), 0, "it may be in progress")
      assert.isAtLeast(yield* resume(Duration.zero, 100), 1)
      assert.include(yield* TestCells.personIn(west, consumer), '"KE"')
      assert.deepStrictEqual(yield* directory.changesOf(consumer), [])
    })
  )

  it.effect("merge lists in order, in pages that skip and repeat none", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      for (let count = 0; count < 6; count += 1) {
        made.unshift((yield* merchantIn(count % 3 === 0 ? west : east)).id)
      }
      const listed = yield* PageWalk.all((yield* MerchantStore).list, 4)
      const ids = listed.map(({ id }) => id)
      assert.deepStrictEqual(ids, [...ids].sort().reverse())
      assert.deepStrictEqual(
        ids.filter((id) => made.includes(id)),
        made
      )
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("leave no trace of a merchant that a crash kept out of its cell, and give its names to another", () =>
    Effect.gen(function* () {
      const directory = yield* CellDirectory
      const merchants = yield* MerchantStore
      const lost = yield* FreshMerchant.unstored({ externalId: Fresh.randomText("shop") })
      const { businessCode, externalId, id } = lost
      yield* directory.place({ merchantId: id, businessCode, externalId, cells: [west] })
      assert.deepStrictEqual(yield* merchants.find(id), Option.none())
      assert.deepStrictEqual(yield* merchants.findByExternalId(externalId ?? ""), Option.none())
      assert.isTrue(yield* merchants.insert(lost, FreshMerchant.firstChange(lost)), "the same merchant again")
      assert.strictEqual(yield* cellOf(lost), west)
      const rival = { ...(yield* FreshMerchant.unstored()), businessCode }
      assert.isFalse(yield* merchants.insert(rival, FreshMerchant.firstChange(rival)))
    })
  )

  it.effect("confirm a merchant whose process died after the cell's commit", () =>
    Effect.gen(function* () {
      const directory = yield* CellDirectory
      const merchants = yield* MerchantStore
      const stored = yield* FreshMerchant.unstored()
      const { businessCode, externalId, id } = stored
      yield* directory.place({ merchantId: id, businessCode, externalId, cells: [west] })
      const inWest = yield* TestCells.storesOf(west)
      assert.isTrue(yield* Context.get(inWest, MerchantStore).insert(stored, FreshMerchant.firstChange(stored)))
      assert.isTrue(Option.isSome(yield* merchants.find(id)), "it is found before it is confirmed")
      const rival = { ...(yield* FreshMerchant.unstored()), businessCode }
      assert.isFalse(yield* merchants.insert(rival, FreshMerchant.firstChange(rival)))
      assert.isTrue(Option.getOrUndefined(yield* directory.find(id))?.isConfirmed)
    })
  )

  it.effect("answer no key that only the directory has", () =>
    Effect.gen(function* () {
      const [merchant] = yield* neighbours
      const hash = ApiKeyHash.make(Fresh.sha256(Fresh.randomText("key"), "hex"))
      yield* (yield* CellDirectory).claimKey(hash, merchant.id)
      assert.deepStrictEqual(yield* (yield* ApiKeyStore).findByHash(hash), Option.none())
    })
  )

  // Counts writes only on the western server, because tests of other files also write to the eastern one.
  it.effect("commit a refund once, in its merchant's cell, and nothing in the other", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      for (const [merchant, written] of [
        [second, 1n],
        [first, 0n]
      ] as const) {
        const sale = yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(merchant) })
        yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n })
        const before = yield* TestCells.writesInWest
        yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n })
        assert.strictEqual((yield* TestCells.writesInWest) - before, written)
      }
    })
  )

  it.effect("tell merchants of both of a person's new details, also where no copy of the person was", () =>
    Effect.gen(function* () {
      const consumers = yield* ConsumerStore
      const log = yield* EventLog
      for (const merchant of yield* neighbours) {
        const scope = FreshMerchant.scopeOf(merchant)
        const before = yield* FreshConsumer.unstored(scope.environment)
        assert.isTrue(yield* consumers.insert(before, undefined))
        const event = yield* Fresh.withRandom(dataChanged(scope, before.serviceId, [IdentityField.make("country")]))
        if (event === undefined) return assert.fail()
        assert.isTrue(yield* consumers.change(before, { ...before, country: "GH" }, [event], []))
        assert.isTrue(Option.isSome(yield* log.find(scope, event.id)))
      }
    })
  )

  it.effect("go on without one that is down, which hits its own merchants alone", () =>
    Effect.gen(function* () {
      const [first, second] = yield* neighbours
      const here = yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(first) })
      const there = yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(second) })
      const database = yield* TestDatabase
      yield* Effect.gen(function* () {
        const merchants = yield* MerchantStore
        const payments = yield* PaymentStore
        yield* (yield* Readiness).check
        assert.isTrue(Option.isSome(yield* merchants.find(first.id)))
        assert.isTrue(Option.isSome(yield* payments.find(here.scope, here.payment.id)))
        assert.strictEqual((yield* RefundAttempt.make(here.scope, here.payment))._tag, "Execute")
        for (const verb of [
          merchants.find(second.id),
          payments.find(there.scope, there.payment.id),
          RefundAttempt.make(there.scope, there.payment),
          merchants.list({ limit: 5, cursor: undefined })
        ]) {
          const error = yield* Effect.flip<unknown, StoreError, RefundStore>(verb)
          assert.strictEqual(error.reason._tag, "StoreUnavailable")
          assert.match(String(error.reason.cause), /"constructor" did not respond/)
        }
        const log = yield* ConsentLog
        const unknown = log.findGrant({ id: Fresh.grantId(yield* Fresh.now), scope: undefined })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(unknown)), "the grant may be in the cell that is down")
        const codes = yield* CodeChallengeStore
        const count = (name: ConsentTokenHash) =>
          Effect.exit(codes.change(name, (current) => ({ answer: current, next: undefined })))
        const link = ConsentTokenHash.make(Fresh.randomText("link"))
        assert.isTrue(Exit.isFailure(yield* count(link)), "the link's tries may be in the cell that is down")
        const person = yield* Effect.provide(nameOfPerson(yield* FreshConsumer.unstored("LIVE")), Digest.layerWebCrypto)
        assert.isTrue(Exit.isSuccess(yield* count(person)), "a person's codes are counted in the home cell")
        const refunds = yield* RefundStore
        assert.isArray(yield* refunds.due(yield* Fresh.now, yield* Fresh.now, 5), "the others' work goes on")
      }).pipe(Effect.provide(TestCells.withoutWest), Effect.provideService(TestDatabase, database))
    })
  )
})
