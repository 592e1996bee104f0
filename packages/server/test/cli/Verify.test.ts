import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantId, toUuid } from "@surety/core/Ids"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer, Redacted, Schema } from "effect"
import { runHere } from "../support/CommandHere.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { runSurety } from "../support/ServerProcess.js"
import { signalledAtLock } from "../support/signalledAtLock.js"

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
        // An incremental run misses a wrong balance on an account without new transfers. `--full` finds it.
        yield* FreshPayment.settled({ scope: parties[0]?.scope ?? assert.fail("there are two") })
        const first = yield* increment()
        assert.strictEqual(first.code, 0, first.stderr)
        // Open transactions in other databases hold back the verified point. The run is therefore repeated until the
        // point is past the last transfer.
        yield* Effect.repeat(Effect.andThen(increment(), isVerified), { until: (holds) => holds })
        const progress = first.stderr.split("\n").filter((line) => /^verified \d+ transfers$/.test(line))
        assert.isNotEmpty(progress)
        assert.deepStrictEqual(progress, [...new Set(progress)], "a line is printed once there is progress")
        const richer = sql`update surety.account set balance_minor = balance_minor + 1 where kind = 'EXTERNAL'`
        yield* richer
        const unmoved = yield* increment()
        assert.strictEqual(unmoved.code, 0, unmoved.stderr)
        assert.include(
          unmoved.stdout,
          "Only records committed since the last run, and consents and verifications of the last two days, were " +
            "checked. --full checks all.\n"
        )
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

it.layer(Layer.fresh(stores), { timeout: timeoutMillis, excludeTestServices: true })(
  "surety verify --merchant",
  (it) => {
    it.effect(
      "names what was changed of that merchant, goes on past a row that it cannot read, and reports no other merchant's",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestDatabase
          const environment = { DATABASE_URL: Redacted.value(url), DATA_DIR: yield* directory, LOG_LEVEL: "warning" }
          const verify = (merchant: string) =>
            Effect.promise(() => runHere(["verify", "--merchant", merchant], environment))
          const [own, other] = yield* Effect.replicateEffect(
            Effect.gen(function* () {
              const { consumer, scope } = yield* FreshConsent.parties("LIVE")
              yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 3)
              const { payment } = yield* FreshPayment.settled({ scope, consumer })
              const { refund } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 100n })
              return { ...scope, payment, refund }
            }),
            2
          )
          if (own === undefined || other === undefined) return assert.fail("there are two")
          const sound = yield* verify(own.merchantId)
          assert.strictEqual(sound.code, 0, sound.stderr)
          assert.match(sound.stdout, / \d+ records compared\. Everything adds up\.\n$/)
          const progress = sound.stderr.split("\n").filter((line) => /^compared \d+ records$/.test(line))
          assert.isNotEmpty(progress)
          assert.deepStrictEqual(progress, [...new Set(progress)], "a line is printed once there is progress")
          assert.include(sound.stdout, `${own.merchantId} LIVE receipts 3 end `)
          assert.notInclude(sound.stdout, other.merchantId)

          const sql = yield* PgClient.PgClient
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`set local session_replication_role = replica`
              yield* sql`alter table surety.consent_receipt drop constraint consent_receipt_hash_check`
              const merchant = toUuid(own.merchantId)
              yield* sql`
              update surety.account set balance_minor = balance_minor + 1
              where merchant_id = ${merchant} and kind = 'SETTLEMENT'`
              yield* sql`update surety.payment set refunded_minor = 99 where id = ${own.payment.id}`
              yield* sql`update surety.event set body = '{' where merchant_id = ${merchant} and topic = 'refund.completed'`
              yield* sql`
              update surety.consent_receipt set hash = 'none' where merchant_id = ${merchant} and sequence = 1`
              yield* sql`
              update surety.consent_receipt set body = body || ' ' where merchant_id = ${merchant} and sequence = 3`
              yield* sql`
              update surety.event set epoch = 9
              where merchant_id = ${merchant} and topic = 'transaction.settled'`
            })
          )
          const broken = yield* verify(own.merchantId)
          assert.strictEqual(broken.code, 1)
          const named = broken.stdout.split("\n").filter((line) => line.startsWith("FAULT "))
          const scope = `${own.merchantId}/LIVE`
          assert.sameMembers(
            named.map((line) => line.replace(/(event)_[0-9a-z]{26}/u, "$1").replace(/transaction \d+/u, "transaction")),
            [
              `FAULT balances_equal_postings: LIVE/SETTLEMENT/NGN/${own.merchantId}/${own.merchantId}: stored 9901, postings 9900`,
              "FAULT events_have_causes: event: refund.completed without its cause",
              "FAULT events_in_order: event: of epoch 9 and transaction, which the next event comes before",
              `FAULT refunded_equals_refunds: ${scope}/${own.payment.id}: stored 99, refunds 100`,
              `FAULT receipt_chains_unbroken: ${scope}/1: unreadable`,
              `FAULT receipt_chains_unbroken: ${scope}/3: content_differs`
            ]
          )
          assert.include(
            broken.stderr,
            `The records of ${own.merchantId} contradict each other: 2 faults in its chains`
          )

          const neighbour = yield* verify(other.merchantId)
          assert.strictEqual(neighbour.code, 0, neighbour.stdout + neighbour.stderr)
          assert.notInclude(neighbour.stdout, own.merchantId)

          const unknown = MerchantId.fromUuid(toUuid(own.refund.id))
          const missing = yield* verify(unknown)
          assert.strictEqual(missing.code, 1)
          assert.include(missing.stderr, `Merchant ${unknown} not found.`)
          assert.notStrictEqual((yield* verify("nobody")).code, 0)
        }),
      timeoutMillis
    )

    it.effect(
      "resumes an audit that ended early at the place that it printed, and refuses any other place",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const { url } = yield* TestDatabase
          const environment = { DATABASE_URL: Redacted.value(url), DATA_DIR: yield* directory, LOG_LEVEL: "warning" }
          const verify = (...args: ReadonlyArray<string>) =>
            Effect.promise(() => runHere(["verify", ...args], environment))
          const { merchantId } = (yield* FreshPayment.settled({})).scope
          const { merchantId: other } = (yield* FreshPayment.settled({})).scope
          const hinted = /^Ended early\. To resume: surety (verify --merchant \S+ --from \S+)$/m
          const comparedBy = ({ stdout }: { readonly stdout: string }) =>
            Number(/ (\d+) records compared/.exec(stdout)?.[1])
          const whole = yield* verify("--merchant", merchantId)
          assert.strictEqual(whole.code, 0, whole.stderr)

          yield* sql`update surety.account set balance_minor = balance_minor + 1 where merchant_id = ${toUuid(merchantId)}`
          yield* sql`alter table surety.verification rename to verification_away`
          const early = yield* verify("--merchant", merchantId)
          yield* sql`alter table surety.verification_away rename to verification`
          assert.strictEqual(early.code, 1)
          assert.include(early.stdout, "FAULT balances_equal_postings: ", "a step's faults are printed when it ends")
          const resume = hinted.exec(early.stderr)?.[1]
          assert.isDefined(resume, early.stderr)
          const given = resume?.split(" ").slice(1) ?? []
          const rest = yield* verify(...given)
          assert.strictEqual(rest.code, 1, "a fault that was printed before still fails the audit")
          assert.notInclude(rest.stdout, "FAULT", "no fault is printed twice")
          const before = early.stdout.match(/^FAULT /gm)?.length
          assert.include(rest.stderr, ` 0 other faults, ${before} printed before it was resumed.`)
          yield* sql`update surety.account set balance_minor = balance_minor - 1 where merchant_id = ${toUuid(merchantId)}`

          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`lock table surety.verification`
              const killed = yield* signalledAtLock("SIGINT", ["verify", "--merchant", merchantId], environment).pipe(
                Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
              )
              assert.strictEqual(killed.code, 130, "an unfinished run is no success")
              assert.match(killed.stderr, hinted)
            })
          )
          yield* sql`alter table surety.consent_receipt rename to receipt_away`
          const atReceipts = yield* verify("--merchant", merchantId)
          yield* sql`alter table surety.receipt_away rename to consent_receipt`
          assert.strictEqual(atReceipts.code, 1)
          const sound = yield* verify(...(hinted.exec(atReceipts.stderr)?.[1]?.split(" ").slice(1) ?? []))
          assert.strictEqual(sound.code, 0, sound.stdout + sound.stderr)
          assert.include(sound.stdout, " records compared from the given place on. ")
          assert.isBelow(comparedBy(sound), comparedBy(whole))

          const place = given.at(-1) ?? ""
          for (const args of [
            ["--merchant", other, "--from", place],
            ["--merchant", merchantId, "--from", "nowhere"]
          ]) {
            const refused = yield* verify(...args)
            assert.strictEqual(refused.code, 1)
            assert.include(refused.stderr, "The value of --from does not belong to an audit of ")
          }
          yield* sql`
            comment on table surety.surety_migrations is 'surety cell 01234567-89ab-4cde-8f01-23456789abcd'`
          const moved = yield* verify("--merchant", merchantId, "--from", place)
          yield* sql`comment on table surety.surety_migrations is null`
          assert.strictEqual(moved.code, 1, "a cell numbers its accounts differently, so some would be passed over")
          assert.include(moved.stderr, "The value of --from does not belong to an audit of ")
          const alone = yield* verify("--from", place)
          assert.strictEqual(alone.code, 1)
          assert.include(alone.stderr, "--from needs --merchant")
        }),
      timeoutMillis
    )
  }
)
