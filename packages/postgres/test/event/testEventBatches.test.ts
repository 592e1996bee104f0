import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import type { TestEvent } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { toUuid } from "@surety/core/Ids"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Array as Arr, Deferred, Effect, Exit, Fiber, Option } from "effect"
import * as TestStores from "../TestStores.js"

const timeoutMillis = 180_000

it.layer(TestStores.postgres, { timeout: timeoutMillis, excludeTestServices: true })(
  "Test events that come at the same time",
  (it) => {
    const scene = Effect.gen(function* () {
      const at = yield* Fresh.longAgo
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const endpoint = yield* FreshEndpoint.make(scope, { at })
      const event = (testFor = endpoint.id): TestEvent => ({
        id: Fresh.eventId(at),
        ...scope,
        topic: "refund.completed",
        body: "{}",
        occurredAt: at,
        testFor
      })
      const commitsOf = Effect.fnUntraced(function* (events: ReadonlyArray<TestEvent>) {
        const sql = yield* PgClient.PgClient
        const ids = events.map(({ id }) => toUuid(id))
        const rows = yield* sql`
          select count(*)::int as events, count(distinct committed_by)::int as commits from surety.event
          where ${sql.in("id", ids)}`
        return rows[0]
      })
      return { at, commitsOf, endpoint, event, scope }
    })

    it.effect(
      "are kept in few commits, each with its own delivery",
      () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          const { commitsOf, event, scope } = yield* scene
          const events = Arr.makeBy(50, () => event())
          const made = yield* Effect.forEach(events, log.sendTest, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            made.map((delivery) => Option.getOrUndefined(delivery)?.eventId),
            events.map(({ id }) => id)
          )
          assert.strictEqual(new Set(made.map((delivery) => Option.getOrUndefined(delivery)?.id)).size, 50)
          for (const { id } of events) assert.lengthOf(yield* log.deliveries(scope, id), 1)
          const { commits, events: kept } = { ...(yield* commitsOf(events)) }
          assert.strictEqual(kept, 50)
          assert.isAtMost(Number(commits), 10)
        }),
      timeoutMillis
    )

    it.effect(
      "are each refused for their own reasons only",
      () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          const { at, commitsOf, event, scope } = yield* scene
          const removed = yield* FreshEndpoint.make(scope, { at })
          yield* (yield* WebhookEndpointStore).remove(scope.merchantId, removed.id)
          const sound = Arr.makeBy(20, () => event())
          const [twice] = sound
          const unwanted = event(removed.id)
          const all = [...sound, unwanted, ...(twice === undefined ? [] : [twice])]
          const exits = yield* Effect.forEach(all, (one) => Effect.exit(log.sendTest(one)), {
            concurrency: "unbounded"
          })
          const outcomes = exits.map((exit) =>
            Exit.isFailure(exit)
              ? "refused"
              : Option.match(exit.value, { onNone: () => "unwanted", onSome: () => "sent" })
          )
          assert.strictEqual(outcomes[20], "unwanted")
          assert.deepStrictEqual([outcomes[0], outcomes[21]].toSorted(), ["refused", "sent"], "an id is one event's")
          assert.isTrue(outcomes.slice(1, 20).every((outcome) => outcome === "sent"))
          assert.strictEqual((yield* commitsOf([...sound, unwanted]))?.events, 20)
        }),
      timeoutMillis
    )

    it.effect(
      "are kept even if a caller disconnects",
      () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          const { commitsOf, event } = yield* scene
          const [left, ...stayed] = Arr.makeBy(11, () => event())
          const leaving = yield* Effect.forkChild(log.sendTest(left), { startImmediately: true })
          const staying = yield* Effect.forkChild(Effect.forEach(stayed, log.sendTest, { concurrency: "unbounded" }), {
            startImmediately: true
          })
          yield* Fiber.interrupt(leaving)
          assert.isTrue((yield* Fiber.join(staying)).every(Option.isSome))
          assert.strictEqual((yield* commitsOf(stayed))?.events, 10)
        }),
      timeoutMillis
    )

    it.effect(
      "are not held up by a transaction that changes their endpoint and their merchant",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const log = yield* EventLog
          const { endpoint, event, scope } = yield* scene
          const holds = yield* Deferred.make<void>()
          const ends = yield* Deferred.make<void>()
          const holder = yield* Effect.gen(function* () {
            yield* sql`update surety.webhook_endpoint set url = url where id = ${toUuid(endpoint.id)}`
            yield* sql`update surety.merchant set status = status where id = ${toUuid(scope.merchantId)}`
            yield* Deferred.succeed(holds, undefined)
            yield* Deferred.await(ends)
          }).pipe(sql.withTransaction, Effect.forkChild)
          yield* Deferred.await(holds)
          const made = yield* Effect.forEach(
            Arr.makeBy(5, () => event()),
            log.sendTest,
            { concurrency: "unbounded" }
          )
          assert.isTrue(made.every(Option.isSome))
          yield* Deferred.succeed(ends, undefined)
          yield* Fiber.join(holder)
        }),
      timeoutMillis
    )

    it.effect(
      "go with the host's transaction that they are sent in",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const log = yield* EventLog
          const { commitsOf, event } = yield* scene
          const events = [event(), event()]
          const undone = sql.withTransaction(
            Effect.andThen(Effect.forEach(events, log.sendTest, { concurrency: 2 }), Effect.fail("undone" as const))
          )
          assert.strictEqual(yield* Effect.flip(undone), "undone")
          assert.strictEqual((yield* commitsOf(events))?.events, 0)
          yield* sql.withTransaction(Effect.forEach(events, log.sendTest, { concurrency: 2 }))
          assert.deepStrictEqual({ ...(yield* commitsOf(events)) }, { events: 2, commits: 1 })
        }),
      timeoutMillis
    )
  }
)
