import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect, Layer, Redacted, Schema } from "effect"
import { runHere } from "../support/CommandHere.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { runSurety } from "../support/ServerProcess.js"

const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url })))),
  Layer.provideMerge(MigratedDatabase.layer)
)

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-verify-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const timeoutMillis = 300_000

const decodeHolds = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ holds: Schema.Boolean })]))

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("surety verify", (it) => {
  it.effect(
    "follows the chain of receipts of every merchant, tells where it ends, and fails if one was changed",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const log = yield* ConsentLog
        const { url } = yield* TestDatabase
        const environment = { DATABASE_URL: Redacted.value(url), DATA_DIR: yield* directory, LOG_LEVEL: "warning" }
        const verify = Effect.promise(() => runSurety(["verify"], environment))
        const increment = (...flags: ReadonlyArray<string>) =>
          Effect.promise(() => runHere(["verify", ...flags], { ...environment, VERIFY_WHOLE_UP_TO: "0" }))
        const isVerified = Effect.flatMap(
          sql`
            select exists (
              select from surety.verified_point p
              where p.through > (select max(t.committed_by) from surety.transfer t)
            ) as holds`,
          decodeHolds
        ).pipe(Effect.map(([{ holds }]) => holds))
        const parties = [yield* FreshConsent.parties("TEST"), yield* FreshConsent.parties("LIVE")]
        for (const { consumer, scope } of parties) {
          yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 2)
        }
        const sound = yield* verify
        assert.strictEqual(sound.code, 0, sound.stderr)
        for (const { scope } of parties) {
          const { hash } = yield* log.chainEnd(scope)
          assert.include(sound.stdout, `${scope.merchantId} ${scope.environment} receipts 2 end ${hash}\n`)
        }
        // A wrong balance that never moved is found only by a full read, which --full forces at any size.
        yield* FreshPayment.settled({ scope: parties[0]?.scope ?? assert.fail("there are two") })
        const first = yield* increment()
        assert.strictEqual(first.code, 0, first.stderr)
        // Open transactions in other databases hold back the verified point.
        yield* Effect.repeat(Effect.andThen(increment(), isVerified), { until: (holds) => holds })
        assert.match(first.stderr, /verified \d+ transfers\n/)
        const richer = sql`update surety.account set balance_minor = balance_minor + 1 where kind = 'EXTERNAL'`
        yield* richer
        const unmoved = yield* increment()
        assert.strictEqual(unmoved.code, 0, unmoved.stderr)
        assert.include(unmoved.stdout, "--full checks all")
        const full = yield* increment("--full")
        assert.strictEqual(full.code, 1)
        assert.include(full.stdout, "FAULT balances_equal_postings: ")
        yield* sql`update surety.account set balance_minor = balance_minor - 1 where kind = 'EXTERNAL'`
        const { merchantId } = parties[1]?.scope ?? assert.fail("there are two")
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local session_replication_role = replica`
            yield* sql`alter table surety.consent_receipt drop constraint consent_receipt_hash_check`
            yield* sql`update surety.consent_receipt set body = body || ' ' where environment = 'LIVE' and sequence = 1`
          })
        )
        const broken = yield* verify
        assert.strictEqual(broken.code, 1)
        assert.include(broken.stdout, `FAULT receipt_chains_unbroken: ${merchantId}/LIVE/1: content_differs\n`)
        assert.include(broken.stderr, "1 faults in receipt chains")
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local session_replication_role = replica`
            yield* sql`update surety.consent_receipt set hash = 'none' where environment = 'LIVE' and sequence = 1`
          })
        )
        const unreadable = yield* verify
        assert.include(unreadable.stdout, `FAULT receipt_chains_unbroken: ${merchantId}/LIVE/1: unreadable\n`)
        assert.include(unreadable.stdout, `${merchantId} LIVE receipts 1 end `, "the rest is followed")
        assert.include(unreadable.stderr, "1 faults in receipt chains")
      }),
    timeoutMillis
  )
})
