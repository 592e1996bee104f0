import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import type { AfterAttempt } from "@surety/core/event/DeliveryQueue"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import { Cause, DateTime, Effect, Exit, Fiber, Latch, Option, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AllPorts } from "../AllLaws.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { type Law, law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"

/** The stores, in the schema `surety`, and a client of their database with more than one connection. */
type Ports = AllPorts | PgClient.PgClient

/** SQLSTATEs of a write rejected by a trigger (`23001`) or for lack of a privilege (`42501`). */
const refusals = ["23001", "42501"]

const sqlStateOf = ({ reason: { cause } }: SqlError): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Returns two append-only tables, each with a condition that matches rows of the sale or of its merchant. */
const appendedOf = ({ payment, scope }: FreshPayment.Sale): ReadonlyArray<readonly [table: string, where: string]> => {
  const ofMerchant = `merchant_id = '${toUuid(scope.merchantId)}'`
  return [
    ["transfer", `payment_id = '${payment.id}'`],
    ["merchant_status_change", ofMerchant]
  ]
}

export const keepsRecords: Law<Ports> = law(
  "refuses to change or delete rows of a table that is only appended, wherever its rows are",
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const sale = yield* FreshPayment.settled()
    for (const [table, where] of appendedOf(sale)) {
      const count = Effect.map(sql.unsafe(`select 1 from surety.${table} where ${where}`), (rows) => rows.length)
      const before = yield* count
      assert.isAbove(before, 0, table)
      for (const change of [
        `delete from surety.${table} where ${where}`,
        `update surety.${table} set merchant_id = merchant_id where ${where}`,
        `truncate surety.${table} cascade`
      ]) {
        const outcome = yield* Effect.exit(sql.withTransaction(sql.unsafe(change)))
        const error = Exit.isFailure(outcome) ? Option.getOrUndefined(Cause.findErrorOption(outcome.cause)) : undefined
        assert.isDefined(error, `${change} must fail`)
        if (error !== undefined) assert.include(refusals, sqlStateOf(error), change)
      }
      assert.strictEqual(yield* count, before, table)
    }
  })
)

export const followsNoneTooSoon: Law<Ports> = law(
  "shows no event while one of an older transaction may still be committed before it",
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const log = yield* EventLog
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const start = yield* Fresh.longAgo
    const shown = Effect.map(log.follow(scope, { after: undefined, limit: 10 }), (events) => events.map(({ id }) => id))
    const [written, commit] = [yield* Latch.make(), yield* Latch.make()]
    const late = Fresh.eventId(start)
    const slow = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`
            insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
            values (${toUuid(scope.merchantId)}, ${scope.environment}, ${toUuid(late)}, 'transaction.settled', '{}',
              ${DateTime.toDate(start)})`
          yield* written.open
          yield* commit.await
        })
      )
    )
    yield* written.await
    const quick = yield* FreshEvent.make(scope, Fresh.later(start, FreshEvent.minute))
    assert.deepStrictEqual(yield* shown, [], "it could still be overtaken")
    yield* commit.open
    yield* Fiber.join(slow)
    const ids = yield* Effect.repeat(shown, {
      until: ({ length }) => length === 2,
      times: 1_500,
      schedule: Schedule.spaced("20 millis")
    })
    assert.deepStrictEqual(ids, [late, quick.id])
  })
)

/**
 * Far longer than the one second that recording an attempt may wait for a lock. Shorter than a test's timeout.
 */
const patience = "20 seconds"

export const waitsNotForLocks: Law<Ports> = law(
  "gives up the record of an attempt whose endpoint stays locked, instead of holding up those of others",
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const queue = yield* DeliveryQueue
    const start = yield* Fresh.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(start)
    const after: AfterAttempt = { _tag: "Retry", at: Fresh.later(start, FreshEvent.minute) }
    const record = queue.settle(due, FreshEvent.attemptOf(due, start), after)
    const [locked, end] = [yield* Latch.make(), yield* Latch.make()]
    const holder = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1 from surety.webhook_endpoint where id = ${toUuid(endpoint.id)} for update`
          yield* locked.open
          yield* end.await
        })
      )
    )
    yield* locked.await
    const given = yield* Effect.timeoutOption(Effect.exit(record), patience)
    yield* end.open
    yield* Fiber.join(holder)
    assert.isTrue(
      Option.isSome(given) && Exit.isFailure(given.value),
      "the record must fail while the endpoint is locked"
    )
    assert.isDefined((yield* record).applied, "and succeed once it is not")
  })
)

/**
 * Guarantees of a PostgreSQL store that its ports cannot express. `keepsRecords` tests the triggers only if the
 * client's role is a superuser or owns the tables.
 */
export const laws: ReadonlyArray<Law<Ports>> = [keepsRecords, followsNoneTooSoon, waitsNotForLocks]
