import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { EventLog } from "@surety/core/event/EventLog"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { signalled } from "@surety/testing/event/DispatcherWakes"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { Effect } from "effect"
import * as TestStores from "../TestStores.js"

class HostFailed extends Error {
  readonly _tag = "HostFailed"
}

for (const [adapter, layer] of [
  ["postgres", TestStores.postgres],
  ["pglite", TestStores.pglite]
] as const) {
  it.layer(layer, { excludeTestServices: true })(`consent in a host's transaction (${adapter})`, (it) => {
    it.effect("is committed with the host's rows, several decisions in one transaction too", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`create table if not exists host_note (text text primary key)`
        const { consumer, scope } = yield* FreshConsent.parties()
        const note = Fresh.randomText("note")
        const grant = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into host_note values (${note})`
            const { request } = yield* ConsentAttempt.asked(scope, consumer)
            const approval = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
            yield* ConsentAttempt.given(scope, consumer)
            assert.isDefined(yield* ConsentAttempt.readable(scope, consumer), "its own grants are seen inside")
            return approval.grant ?? assert.fail("an approval makes a grant")
          })
        )
        assert.lengthOf(yield* FreshConsent.soundChain(scope), 2)
        assert.lengthOf(yield* sql`select 1 from host_note where text = ${note}`, 1)
        yield* ConsentAttempt.revoked(grant)
        yield* LedgerChecks.expectSound
      })
    )

    it.effect("rolls back request, grant, receipt, reading and event with the host, and sends nothing", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const events = yield* EventLog
        const consumers = yield* ConsumerStore
        const { consumer, scope } = yield* FreshConsent.parties()
        yield* FreshEndpoint.make(scope)
        yield* ConsentAttempt.given(scope, yield* FreshConsent.person(scope.environment))
        const told = events.list(scope, { limit: 10, cursor: undefined })
        const before = { trace: yield* FreshConsent.traceOf(scope), told: yield* told }
        const key = Fresh.idempotencyKey()
        const work = Effect.gen(function* () {
          const { request } = yield* ConsentAttempt.asked(scope, consumer, { key })
          yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
          assert.isDefined(yield* ConsentAttempt.readable(scope, consumer))
        })
        const failed = Effect.flip(sql.withTransaction(Effect.andThen(work, Effect.fail(new HostFailed()))))
        assert.isFalse(yield* signalled(failed))
        assertEquals({ trace: yield* FreshConsent.traceOf(scope), told: yield* told }, before)
        assert.isFalse(yield* consumers.isLinked(scope.merchantId, scope.environment, consumer.userId))
        assert.isTrue(yield* signalled(sql.withTransaction(work)), "the dispatcher is woken after the host's commit")
        assert.lengthOf(yield* FreshConsent.soundChain(scope), 2)
        yield* LedgerChecks.expectSound
      })
    )
  })
}
