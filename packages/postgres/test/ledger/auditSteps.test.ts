import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { fromUuid, toUuid } from "@surety/core/Ids"
import { accountPartText } from "@surety/core/ledger/Account"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { DateTime, Effect, Logger, References, Schema } from "effect"
import * as TestStores from "../TestStores.js"
import { tamper } from "./tampering.js"
import { pastAll, point, steps, TransactionId } from "./verifiedPoint.js"

const Width = Schema.Struct({ width: Schema.BigInt })

const sold = Effect.fnUntraced(function* () {
  const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
  const { event, refund, transfer } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n })
  return { sale, refund, transfer, event: event ?? assert.fail("a completed refund has an event") }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("a step of the audit", (it) => {
  it.effect("finds contradictions after the point, again until they are repaired, and nothing then", () =>
    Effect.gen(function* () {
      yield* sold()
      assert.deepStrictEqual(yield* steps(true), [])
      const { event, refund, sale, transfer } = yield* sold()
      const { environment, merchantId } = sale.scope
      const wallet = accountPartText(FreshPayment.walletAccount(sale))
      const settlement = accountPartText(FreshPayment.settlementAccount(sale))

      const richer = "update surety.account set balance_minor = balance_minor + 1 where user_id = $1"
      yield* tamper(richer, [sale.consumer.userId])
      const total = "update surety.payment set refunded_minor = $2 where id = $1"
      yield* tamper(total, [sale.payment.id, 99n])
      const tell = "update surety.refund set event_id = $2 where id = $1"
      yield* tamper(tell, [toUuid(refund.id), null])
      const faults = [
        { check: "balances_equal_postings", subject: wallet, detail: "stored 101, postings 100" },
        {
          check: "refunded_equals_refunds",
          subject: `${merchantId}/${environment}/${sale.payment.id}`,
          detail: "stored 99, refunds 100"
        },
        { check: "events_have_causes", subject: refund.id, detail: "no event" },
        { check: "events_have_causes", subject: event.id, detail: "refund.completed without its cause" }
      ]
      assert.sameDeepMembers(yield* steps(), faults)
      assert.sameDeepMembers(yield* steps(), faults, "found again, though behind the point by now")

      yield* tamper(richer.replace("+ 1", "- 1"), [sale.consumer.userId])
      yield* tamper(total, [sale.payment.id, 100n])
      yield* tamper(tell, [toUuid(refund.id), toUuid(event.id)])
      assert.deepStrictEqual(yield* steps(), [])

      const later = yield* sold()
      yield* tamper("delete from surety.transfer where id = $1", [toUuid(later.transfer.id)])
      assert.sameDeepMembers(yield* steps(), [
        {
          check: "balances_equal_postings",
          subject: accountPartText(FreshPayment.walletAccount(later.sale)),
          detail: "stored 100, postings 0"
        },
        {
          check: "balances_equal_postings",
          subject: accountPartText(FreshPayment.settlementAccount(later.sale)),
          detail: "stored 900, postings 1000"
        },
        { check: "transfers_have_causes", subject: later.refund.id, detail: "no REFUND of 100" }
      ])

      // The deleted transfer is below the verified point, and the balances are changed to match. The totals stored at
      // that point still reveal the change.
      yield* pastAll
      yield* tamper("delete from surety.transfer where id = $1", [toUuid(transfer.id)])
      yield* tamper(richer.replace("+ 1", "- 100"), [sale.consumer.userId])
      yield* tamper(
        "update surety.account set balance_minor = balance_minor + 100 where merchant_id = $1 and kind = 'SETTLEMENT'",
        [toUuid(merchantId)]
      )
      const whole = (yield* (yield* Ledger).audit).map(({ detail, subject }) => ({ subject, detail }))
      assert.deepInclude(whole, { subject: wallet, detail: "verified 100, postings until then 0" })
      assert.deepInclude(whole, { subject: settlement, detail: "verified 900, postings until then 1000" })
    })
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true })("a step of the audit, of consent", (it) => {
  it.effect(
    "finds a new grant without its event or receipt, and an event without its cause, until they are repaired",
    () =>
      Effect.gen(function* () {
        const { consumer, scope } = yield* FreshConsent.parties()
        assert.deepStrictEqual(yield* steps(true), [])
        const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
        const { events, grant, receipt } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
        const given = grant ?? assert.fail("an approval makes a grant")
        const topic = "merchant.identity.consent_granted"
        const told = events.find((event) => event.topic === topic) ?? assert.fail("a grant has an event")
        const name = "update surety.consent_grant set event_id = $2 where id = $1"
        const move = "update surety.consent_receipt set environment = $2 where id = $1"
        const receiptId = toUuid(receipt?.id ?? assert.fail("an approval has a receipt"))
        yield* tamper(name, [toUuid(given.id), "00000000-0000-7000-8000-000000000000"])
        yield* tamper(move, [receiptId, "TEST"])
        const faults: Array<LedgerFault> = [
          { check: "events_have_causes", subject: told.id, detail: `${topic} without its cause` },
          { check: "events_have_causes", subject: given.id, detail: "no event" },
          { check: "consents_have_receipts", subject: given.id, detail: "no receipt that it is GRANTED" }
        ]
        assert.sameDeepMembers(yield* steps(), faults)
        yield* pastAll
        assert.sameDeepMembers(yield* steps(), faults, "found again, though behind the point by now")
        yield* tamper(name, [toUuid(given.id), toUuid(told.id)])
        yield* tamper(move, [receiptId, "LIVE"])
        assert.deepStrictEqual(yield* steps(), [])
      })
  )

  it.effect(
    "finds an old record when it ends, and what was changed of one without an event in the whole audit alone",
    () =>
      Effect.gen(function* () {
        const { consumer, scope } = yield* FreshConsent.parties()
        const at = DateTime.subtract(yield* Fresh.now, { days: 30 })
        const { grant: old } = yield* ConsentAttempt.given(scope, consumer, { at })
        yield* pastAll
        const renew = "update surety.consent_grant set data_request_id = $2, origin = $3 where id = $1"
        const nowhere = "00000000-0000-7000-8000-000000000000"
        yield* tamper(renew, [toUuid(old.id), nowhere, "REQUEST"])
        const missing = {
          check: "grants_have_requests",
          subject: old.id,
          detail: `its request ${fromUuid("datareq", nowhere)} is missing`
        }
        assert.deepStrictEqual(yield* steps(), [])
        assert.deepStrictEqual<unknown>(yield* (yield* Ledger).audit, [missing])
        yield* ConsentAttempt.revoked(old)
        assert.deepStrictEqual<unknown>(yield* steps(), [missing])
        yield* tamper(renew, [toUuid(old.id), null, "HOST"])
        assert.deepStrictEqual(yield* steps(), [])
      })
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true })("the verified point", (it) => {
  it.effect("is behind no transaction that still runs, so what commits late is checked", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { url } = yield* TestDatabase
      const { refund } = yield* sold()
      const slow = yield* Effect.provide(
        Effect.gen(function* () {
          const other = yield* PgClient.PgClient
          return yield* other.withTransaction(
            Effect.gen(function* () {
              yield* other`set local session_replication_role = replica`
              // The other transaction gets its id now, and commits after the steps below.
              yield* other`
                insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id,
                  amount_minor, merchant_id, payment_id, at)
                select gen_random_uuid(), 'PAYMENT', t.environment, t.currency, t.debit_account_id,
                  t.credit_account_id, 7, t.merchant_id, 'late payment', t.at
                from surety.transfer t where t.refund_id = ${toUuid(refund.id)}::uuid`
              yield* Effect.provideService(sold(), PgClient.PgClient, sql)
              assert.deepStrictEqual(yield* Effect.provideService(steps(), PgClient.PgClient, sql), [])
              const { through } = yield* Effect.provideService(point, PgClient.PgClient, sql)
              const [own] = yield* Schema.decodeUnknownEffect(TransactionId)(
                yield* other`select pg_current_xact_id()::text::bigint as id`
              )
              return { through, id: own.id }
            })
          )
        }),
        PgClient.layer({ url, maxConnections: 1 })
      )
      const faults = yield* steps()
      assert.lengthOf(faults, 2, "both accounts of what committed late")
      assert.isTrue(slow.through <= slow.id)
    })
  )

  it.effect("moves with each step, keeps the sums of the trial balance, and is forgotten by a copy", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const before = yield* ledger.trialBalance
      const first = yield* ledger.auditNext(true)
      assert.isTrue(first.isFirst)
      assert.deepStrictEqual(yield* ledger.trialBalance, before)
      yield* sold()
      const grown = yield* ledger.trialBalance
      assert.notDeepEqual(grown, before)
      yield* steps()
      assert.deepStrictEqual(yield* ledger.trialBalance, grown)
      // As in a restored dump: the same row, written by another transaction.
      yield* sql`update surety.event_order set timeline = timeline`
      assert.isTrue((yield* ledger.auditNext(false)).isFirst)
      assert.deepStrictEqual(yield* ledger.trialBalance, grown)
    })
  )

  it.effect("bounds nothing in a copy whose transaction ids restart, nor in a copy of that", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const copy = sql`update surety.event_order set timeline = timeline`
      yield* steps(true)
      const verified = yield* ledger.trialBalance
      const faults = yield* ledger.audit
      // The next transaction ids are below the verified point, as in a new cluster.
      yield* sql`update surety.verified_point set through = through + 1000000`
      yield* copy
      yield* sold()
      assert.notDeepEqual(yield* ledger.trialBalance, verified)
      assert.deepStrictEqual(yield* ledger.audit, faults)
      assert.isTrue((yield* ledger.auditNext(false)).isFirst)
      for (const _ of ["a copy of the copy", "and of that"]) {
        yield* copy
        assert.isTrue((yield* ledger.auditNext(false)).isFirst)
        assert.isFalse((yield* ledger.auditNext(false)).isFirst)
      }
    })
  )
})

it.layer(TestStores.postgresWith({ auditTimeoutMillis: 500 }), { excludeTestServices: true })("a late step", (it) => {
  it.effect("leaves half of its transactions to the next one", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { url } = yield* TestDatabase
      const widths: Array<unknown> = []
      const noted = Logger.make(({ message }) => {
        const [text, details] = Array.isArray(message) ? message : []
        if (text === "Step of the audit") widths.push(details)
      })
      const step = ledger
        .auditNext(false)
        .pipe(Effect.provide(Logger.layer([noted])), Effect.provideService(References.MinimumLogLevel, "Debug"))
      yield* Effect.provide(
        Effect.gen(function* () {
          const other = yield* PgClient.PgClient
          yield* other.withTransaction(
            Effect.gen(function* () {
              yield* other`lock table surety.transfer in access exclusive mode`
              for (const _ of ["late", "and again"]) assert.isTrue((yield* Effect.flip(step)).isRetryable)
            })
          )
        }),
        PgClient.layer({ url, maxConnections: 1 })
      )
      yield* Effect.retry(step, { times: 10 })
      assert.lengthOf(widths, 1)
      assert.isAtMost(Number(Schema.decodeUnknownSync(Width)(widths[0]).width), 5_000)
    })
  )
})

it.layer(TestStores.serving, { excludeTestServices: true })("a role that serves", (it) => {
  it.effect("checks what is new, moves no point, and names no transaction for what it stores", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { url } = yield* TestDatabase
      const asOwner = Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
      yield* sold()
      yield* LedgerChecks.expectSound
      const step = yield* (yield* Ledger).auditNext(false)
      assert.isTrue(step.isFirst && step.isLast, "the owner has not verified anything")
      for (const statement of [
        "insert into surety.verified_point (epoch, through, transfers) values (1, 1, 1)",
        "update surety.verified_account set is_checked = true",
        "delete from surety.verified_open",
        "update surety.verified_total set debits_minor = 0",
        "delete from surety.verified_chain",
        "insert into surety.transfer (id, committed_by) values (gen_random_uuid(), 0)",
        "insert into surety.event (id, committed_by) values (gen_random_uuid(), '1')",
        "update surety.refund set committed_by = 0"
      ]) {
        const { reason } = yield* Effect.flip(sql.unsafe(statement))
        assert.include(String(reason.cause), "permission denied", statement)
      }
      assert.lengthOf(
        yield* asOwner(Effect.flatMap(PgClient.PgClient, (own) => own`select from surety.verified_point`)),
        0
      )
    })
  )
})
