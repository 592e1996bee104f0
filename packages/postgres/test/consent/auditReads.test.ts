import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { readsOf } from "../sql/TableReads.js"

/** Stores over a single connection, so that its statistics cover all reads. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const reads = readsOf(["consent_receipt"])

const grants = 100

/** Number of audit checks that read receipts: one each for grants, requests and verifications. */
const checks = 3

it.layer(stores, { excludeTestServices: true })("a merchant with many grants", (it) => {
  it.effect("costs the audit one read of its receipts per check, not one per grant", () =>
    Effect.gen(function* () {
      const { consumer, scope } = yield* FreshConsent.parties("LIVE")
      yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), grants, { discard: true })
      const ledger = yield* Ledger
      const before = yield* reads
      assert.deepStrictEqual(yield* ledger.audit, [])
      const read = Number((yield* reads).rows - before.rows)
      assert.isAtLeast(read, grants)
      assert.isAtMost(read, checks * 2 * grants)
    })
  )
})
