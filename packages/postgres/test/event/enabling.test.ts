import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { toUuid } from "@surety/core/Ids"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Deferred, Effect, Fiber } from "effect"
import { someoneWaits } from "../someoneWaits.js"
import * as TestStores from "../TestStores.js"

const disabledEndpoint = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const disabled = yield* FreshEndpoint.make(scope, { at: start, status: "DISABLED", topics: ["transaction.settled"] })
  const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
  const { disabledAt: _, disabledReason: __, ...rest } = disabled
  const enabled = { ...rest, status: "ENABLED" as const, updatedAt: asOf(2) }
  const store = yield* WebhookEndpointStore
  const log = yield* EventLog
  return {
    asOf,
    endpointId: toUuid(disabled.id),
    enable: store.replace(disabled, enabled),
    recover: log.recover(scope, disabled.id, { since: asOf(0), until: asOf(60) }, asOf(9)),
    makeEvent: FreshEvent.make(scope, asOf(1))
  }
})

/** Runs `work` in a transaction that stays open. Returns an effect that commits it. */
const heldOpen = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* PgClient.PgClient
  const done = yield* Deferred.make<void>()
  const mayCommit = yield* Deferred.make<void>()
  const inside = Effect.andThen(
    Effect.tap(work, () => Deferred.succeed(done, undefined)),
    Deferred.await(mayCommit)
  )
  const open = yield* Effect.forkChild(sql.withTransaction(inside))
  yield* Deferred.await(done)
  return Effect.andThen(Deferred.succeed(mayCommit, undefined), Fiber.join(open))
})

it.layer(TestStores.postgres, { timeout: 120_000, excludeTestServices: true })("an endpoint being enabled", (it) => {
  it.effect("misses no event of a transaction that began before and commits after", () =>
    Effect.gen(function* () {
      const { enable, makeEvent, recover } = yield* disabledEndpoint
      const commitEvent = yield* heldOpen(makeEvent)
      const enabling = yield* Effect.forkChild(Effect.andThen(enable, recover))
      yield* someoneWaits
      yield* commitEvent
      assert.strictEqual(yield* Fiber.join(enabling), 1)
    })
  )

  it.effect("is not locked by those transactions before, so that claims and changes of others go on", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { endpointId, makeEvent } = yield* disabledEndpoint
      const commitEvent = yield* heldOpen(makeEvent)
      const free = yield* sql`select from surety.webhook_endpoint where id = ${endpointId} for update skip locked`
      assert.lengthOf(free, 1)
      yield* commitEvent
    })
  )

  it.effect("gets the events of transactions that store them while it is being enabled", () =>
    Effect.gen(function* () {
      const { asOf, enable, makeEvent, recover } = yield* disabledEndpoint
      const commitEnabling = yield* heldOpen(Effect.map(enable, (isStored) => assert.isTrue(isStored)))
      const event = yield* Effect.forkChild(makeEvent)
      yield* someoneWaits
      yield* commitEnabling
      const { id } = yield* Fiber.join(event)
      assert.deepStrictEqual(
        (yield* FreshEvent.claim(asOf(9))).map((due) => due.event.id),
        [id]
      )
      assert.strictEqual(yield* recover, 0, "it is on its way")
    })
  )
})
