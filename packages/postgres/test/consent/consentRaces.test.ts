import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import { Effect, Latch, Option } from "effect"
import { someoneWaits } from "../someoneWaits.js"
import * as TestStores from "../TestStores.js"

/**
 * Runs `held` in a transaction, then `other` outside it. Once `other` is blocked and `meanwhile` is done, or once
 * `other` has ended, runs `last` in the transaction. Returns the results of `last` and `other`.
 */
const during = <A, B, E, F, G, H, R, S, T, U>(
  held: Effect.Effect<unknown, E, R>,
  other: Effect.Effect<A, F, S>,
  { last, meanwhile }: { readonly last: Effect.Effect<B, G, T>; readonly meanwhile: Effect.Effect<void, H, U> }
) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const isHeld = Latch.makeUnsafe(false)
    const goOn = Latch.makeUnsafe(false)
    const holding = held.pipe(Effect.andThen(isHeld.open), Effect.andThen(goOn.await), Effect.andThen(last))
    const waiting = Effect.andThen(Effect.raceFirst(someoneWaits, goOn.await), meanwhile)
    return yield* Effect.all(
      {
        last: sql.withTransaction(holding),
        other: Effect.andThen(isHeld.await, Effect.ensuring(other, goOn.open)),
        waited: Effect.andThen(isHeld.await, Effect.ensuring(waiting, goOn.open))
      },
      { concurrency: "unbounded" }
    )
  })

/** Locks the `asking` row of a merchant and person, like a commit of a grant or a block. */
const lockAsking = Effect.fnUntraced(function* ({ environment, merchantId }: MerchantScope, { userId }: Consumer) {
  const sql = yield* PgClient.PgClient
  const locked = yield* sql`
    select 1 from surety.asking a
    where a.user_id = ${userId} and a.merchant_id = ${toUuid(merchantId)} and a.environment = ${environment}
    for no key update`
  assert.lengthOf(locked, 1)
})

const close = Effect.fnUntraced(function* ({ merchantId }: MerchantScope) {
  const merchants = yield* MerchantStore
  const at = yield* Fresh.now
  assert.isTrue(yield* merchants.transition({ merchantId, from: "ACTIVE", to: "CLOSED", actor: "operator", at }))
})

const outcome = (decision: {
  readonly _tag: string
  readonly reason?: { readonly _tag: string } | undefined
}): string => decision.reason?._tag ?? decision._tag

const asked = Effect.gen(function* () {
  const { consumer, scope } = yield* FreshConsent.parties()
  const { request } = yield* ConsentAttempt.asked(scope, consumer)
  const decision = Effect.map(ConsentAttempt.decide(request.id, ConsentAttempt.approveAll), Option.getOrThrow)
  const approve = Effect.map(decision, outcome)
  return { approve, consumer, give: Effect.map(ConsentAttempt.give(scope, consumer), outcome), scope }
})

it.layer(TestStores.postgres, { excludeTestServices: true, timeout: 60_000 })("A consent", (it) => {
  for (const how of ["approve", "give"] as const) {
    it.effect(`is refused if it waits for the close of its merchant (${how})`, () =>
      Effect.gen(function* () {
        const party = yield* asked
        const { other } = yield* during(close(party.scope), party[how], { meanwhile: Effect.void, last: Effect.void })
        assert.strictEqual(other, "MerchantNotActive")
        assert.lengthOf((yield* FreshConsent.traceOf(party.scope)).grants, 0)
      })
    )
  }

  it.effect("is refused if its merchant is closed while it waits for another decision", () =>
    Effect.gen(function* () {
      const { approve, consumer, scope } = yield* asked
      const meanwhile = close(scope)
      const { other } = yield* during(lockAsking(scope, consumer), approve, { meanwhile, last: Effect.void })
      assert.strictEqual(other, "MerchantNotActive")
      assert.lengthOf((yield* FreshConsent.traceOf(scope)).grants, 0)
    })
  )

  it.effect("waits for no erasure of its person that waits for it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { approve, consumer, scope } = yield* asked
      const { last } = yield* during(lockAsking(scope, consumer), ErasureAttempt.erased(consumer), {
        meanwhile: Effect.void,
        last: Effect.andThen(sql`set local lock_timeout = '500ms'`, approve)
      })
      assert.strictEqual(last, "Execute")
      const { grants } = yield* FreshConsent.traceOf(scope)
      assert.deepStrictEqual(
        grants.map(({ status }) => status),
        ["REVOKED"],
        "the erasure ends the grant that it waited for"
      )
    })
  )

  it.effect("is not asked of a person who has been restricted since they were loaded", () =>
    Effect.gen(function* () {
      const people = yield* PersonStore
      const { consumer, scope } = yield* FreshConsent.parties()
      const stale = yield* ConsentAttempt.look(scope, consumer)
      yield* people.restrict(scope.environment, consumer.serviceId, yield* Fresh.now)
      assert.strictEqual(outcome(yield* ConsentAttempt.ask(scope, consumer, { stale })), "AskingBlocked")
      assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 0)
    })
  )

  it.effect("is not read of a person who has been restricted since they were loaded", () =>
    Effect.gen(function* () {
      const people = yield* PersonStore
      const { consumer, scope } = yield* FreshConsent.parties()
      yield* ConsentAttempt.given(scope, consumer)
      const stale = yield* FreshConsent.readSnapshotOf(scope, consumer)
      yield* people.restrict(scope.environment, consumer.serviceId, yield* Fresh.now)
      const { decision } = yield* ConsentAttempt.read(scope, consumer, { stale })
      assert.strictEqual(decision._tag, "Refuse")
      assert.lengthOf((yield* FreshConsent.traceOf(scope)).reads, 0)
    })
  )

  for (const how of ["deny", "revoke"] as const) {
    it.effect(`that ends waits for no erasure of its person that waits for it (${how})`, () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { consumer, scope } = yield* FreshConsent.parties()
        const { request } = yield* ConsentAttempt.asked(scope, consumer)
        const { grant } = yield* ConsentAttempt.given(scope, consumer)
        const [table, id] = how === "deny" ? ["data_request", request.id] : ["consent_grant", grant.id]
        const lock = sql`select 1 from surety.${sql.literal(table)} where id = ${toUuid(id)} for no key update`
        const end =
          how === "deny"
            ? Effect.asVoid(ConsentAttempt.decided(request.id, ConsentAttempt.deny))
            : Effect.asVoid(ConsentAttempt.revoked(grant))
        yield* during(lock, ErasureAttempt.erased(consumer), {
          meanwhile: Effect.void,
          last: Effect.andThen(sql`set local lock_timeout = '500ms'`, end)
        })
        const { grants, requests } = yield* FreshConsent.traceOf(scope)
        assert.deepStrictEqual(
          [...requests, ...grants].map(({ status }) => status),
          [how === "deny" ? "DENIED" : "CANCELLED", "REVOKED"]
        )
        yield* FreshConsent.soundChain(scope)
      })
    )
  }
})

it.layer(TestStores.postgres, { excludeTestServices: true, timeout: 60_000 })("A verification", (it) => {
  it.effect("locks its person before the merchant's chain of receipts", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { consumer, scope } = yield* FreshConsent.parties()
      yield* ConsentAttempt.given(scope, consumer)
      const person = sql`
        select 1 from surety.consumer where id = ${consumer.userId} and environment = ${scope.environment} for update`
      const chain = sql`
        select 1 from surety.receipt_chain_end
        where merchant_id = ${toUuid(scope.merchantId)} and environment = ${scope.environment} for update nowait`
      const { last, other } = yield* during(person, FreshVerification.attempt(scope, consumer, { id: "no number" }), {
        meanwhile: Effect.void,
        last: chain
      })
      assert.lengthOf(last, 1)
      assert.strictEqual(FreshVerification.nameOf(other), "Execute")
    })
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true, timeout: 60_000 })("A correction", (it) => {
  it.effect("sees the grant that it waited for", () =>
    Effect.gen(function* () {
      const consumers = yield* ConsumerStore
      const { consumer, scope } = yield* FreshConsent.parties()
      const { other } = yield* during(
        ConsentAttempt.given(scope, consumer),
        consumers.change(consumer, { ...consumer, country: "KE" }, [], []),
        { meanwhile: Effect.void, last: Effect.void }
      )
      assert.isFalse(other, "the grant's merchant would get no event")
    })
  )
})
