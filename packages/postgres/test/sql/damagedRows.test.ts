import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import { lookUntil } from "@surety/testing/event/HeldBack"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshHostRequest from "@surety/testing/host/FreshHostRequest"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { DateTime, Effect, Logger, References } from "effect"
import * as TestStores from "../TestStores.js"

/** Runs `claim`, and returns its result with the ids that it logged as damaged. */
const withDamage = Effect.fnUntraced(function* <A, E, R>(claim: Effect.Effect<A, E, R>) {
  const damaged: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ fiber, message }) => {
    if (!String(message).includes("A record is damaged")) return
    damaged.push(fiber.getRef(References.CurrentLogAnnotations).id)
  })
  const claimed = yield* Effect.provide(claim, Logger.layer([logger]))
  return { claimed, damaged }
})

it.layer(TestStores.postgres, { timeout: 60_000, excludeTestServices: true })(
  "One damaged record among those claimed",
  (it) => {
    it.effect("leaves other verifications their lookup", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const store = yield* KycStore
        const first = yield* FreshVerification.make()
        const second = yield* FreshVerification.make({ at: Fresh.later(first.madeAt, 1) })
        const bad = toUuid(first.verification.id)
        yield* sql`update surety.verification set user_id = user_id, service_id = '?' where id = ${bad}`
        const now = Fresh.later(second.madeAt, 60 * 60_000)
        const { claimed, damaged } = yield* withDamage(
          store.claim({ now, leasedUntil: Fresh.later(now, 60_000), limit: 8 })
        )
        assert.deepStrictEqual(
          claimed.map(({ verification }) => verification.id),
          [second.verification.id]
        )
        assert.deepStrictEqual(damaged, [bad])
        yield* sql`delete from surety.verification where id = ${bad}`
      })
    )

    it.effect("leaves the deliveries to other endpoints", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const at = yield* Fresh.longAgo
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const [bad, good] = [yield* FreshEndpoint.make(scope, { at }), yield* FreshEndpoint.make(scope, { at })]
        yield* FreshEvent.make(scope, at)
        yield* sql`update surety.webhook_endpoint set secrets = '[{}]' where id = ${toUuid(bad.id)}`
        const { claimed, damaged } = yield* withDamage(FreshEvent.claim(Fresh.later(at, 60_000)))
        assert.deepStrictEqual(
          claimed.map(({ endpoint }) => endpoint.id),
          [good.id]
        )
        assert.lengthOf(damaged, 1)
        const alone = yield* withDamage(FreshEvent.claim(Fresh.later(at, 3 * 60_000), { limit: 1 }))
        assert.isAtMost(alone.damaged.length, 1, "a claim of damaged records only is not repeated")
      })
    )

    it.effect("leaves the host's other queued calls", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const [bad, good] = [yield* FreshHostRequest.enqueued(), yield* FreshHostRequest.enqueued()]
        yield* sql`update surety.requests set result = '{"amountMinor": "much"}' where key = ${bad.key}`
        const now = yield* FreshHostRequest.soon
        const { claimed, damaged } = yield* withDamage(FreshHostRequest.claimOf(now, bad.key, good.key))
        assert.deepStrictEqual(
          claimed.map(({ key }) => key),
          [good.key]
        )
        assert.deepStrictEqual(damaged, [bad.key])
      })
    )

    it.effect("leaves other people their notification", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const upkeep = yield* ConsentUpkeep
        const asked = Effect.gen(function* () {
          const { consumer, scope } = yield* FreshConsent.parties()
          return yield* ConsentAttempt.askedAnew(scope, consumer, {})
        })
        const [{ request: bad }, { request: good }] = [yield* asked, yield* asked]
        yield* sql`update surety.data_request set service_id = '?' where id = ${toUuid(bad.id)}`
        const now = Fresh.later(good.createdAt, 1_000)
        const { claimed, damaged } = yield* withDamage(
          upkeep.claimNotifications({ now, againAt: Fresh.later(now, 60_000), limit: 24 })
        )
        assert.deepStrictEqual(
          claimed.map(({ request }) => request.id),
          [good.id]
        )
        assert.deepStrictEqual(damaged, [toUuid(bad.id)])
      })
    )

    it.effect("leaves other merchants their platform events, and the merchant those before it", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const feed = yield* PlatformFeed
        yield* feed.begin
        const merchants = yield* Effect.replicateEffect(FreshMerchant.make(), 3)
        for (const merchant of merchants) {
          const scope = FreshMerchant.scopeOf(merchant)
          yield* FreshEvent.make(scope, yield* Fresh.longAgo)
          yield* FreshEvent.make(scope, yield* Fresh.longAgo)
        }
        const [blocked, halved] = merchants.map(({ id }) => toUuid(id))
        const place = sql`(
        select count(*) from surety.platform_outbox b
        where b.stream = p.stream and (b.epoch, b.committed_by, b.event_id) < (p.epoch, p.committed_by, p.event_id)
      )`
        yield* sql`
        update surety.platform_outbox p set topic = 'of.a.later.release'
        where p.stream = ${blocked} and ${place} = 0 or p.stream = ${halved} and ${place} = 1`
        let now = yield* DateTime.now
        let eventsOf: ReadonlyArray<number | undefined> = []
        let logged: ReadonlyArray<unknown> = []
        const look = Effect.gen(function* () {
          now = DateTime.add(now, { minutes: 2 })
          const { claimed, damaged } = yield* withDamage(
            feed.claim({ now, leasedUntil: Fresh.later(now, 60_000), limit: 100, perStream: 100 })
          )
          eventsOf = merchants.map(({ id }) => claimed.find(({ merchantId }) => merchantId === id)?.events.length)
          logged = damaged
        })
        yield* lookUntil(look, () => eventsOf[2] === 2 && logged.length === 2)
        assert.deepStrictEqual(eventsOf, [undefined, 1, 2])
        assert.lengthOf(logged, 2)
        yield* feed.end
      })
    )
  }
)
