import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import { toUuid } from "@surety/core/Ids"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { faultsAfter, tamper } from "../ledger/tampering.js"
import * as TestStores from "../TestStores.js"

const reportOf = (scope: MerchantScope) =>
  Effect.flatMap(Receipts.Receipts, ({ verifyChain }) => verifyChain(scope)).pipe(
    Effect.provide(Receipts.layer),
    Effect.provide(Digest.layerWebCrypto)
  )

const nextOf = (scope: MerchantScope, afresh = false) =>
  Effect.flatMap(Receipts.Receipts, ({ verifyNext }) => verifyNext(scope, afresh)).pipe(
    Effect.provide(Receipts.layer),
    Effect.provide(Digest.layerWebCrypto)
  )

const hash = "surety.receipt_hash"

/** Ways for a database owner to tamper with a chain of three receipts, each with the faults that the check finds. */
const crimes: ReadonlyArray<{
  readonly how: string
  readonly statement: string
  readonly found: ReadonlyArray<{ readonly sequence: number; readonly reason: string }>
}> = [
  {
    how: "a receipt whose text was changed",
    statement:
      "update surety.consent_receipt set body = replace(body, 'email', 'e_mail') where merchant_id = $1 and sequence = 2",
    found: [{ sequence: 2, reason: "content_differs" }]
  },
  {
    how: "a receipt whose text and hash were changed",
    statement: `update surety.consent_receipt set body = body || ' ', hash = ${hash}(previous_hash, body || ' ')
      where merchant_id = $1 and sequence = 2`,
    found: [{ sequence: 3, reason: "previous_hash_differs" }]
  },
  {
    how: "a receipt that was removed",
    statement: "delete from surety.consent_receipt where merchant_id = $1 and sequence = 2",
    found: [{ sequence: 3, reason: "out_of_sequence" }]
  },
  {
    how: "the newest receipt, removed",
    statement: "delete from surety.consent_receipt where merchant_id = $1 and sequence = 3",
    found: [{ sequence: 3, reason: "end_missing" }]
  }
]

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit", (it) => {
  it.effect("finds a grant or a decided request without its event, and an event of consent without its cause", () =>
    Effect.gen(function* () {
      const { consumer, scope } = yield* FreshConsent.parties()
      const { request: asked } = yield* ConsentAttempt.askedAnew(scope, consumer)
      const approval = yield* ConsentAttempt.decided(asked.id, ConsentAttempt.approveAll)
      const { request: unwelcome } = yield* ConsentAttempt.askedAnew(scope, consumer, { purpose: "another" })
      const denial = yield* ConsentAttempt.decided(unwelcome.id, ConsentAttempt.deny)
      yield* ConsentAttempt.askedAnew(scope, consumer)
      yield* LedgerChecks.expectSound
      const grant = approval.grant ?? assert.fail("an approval makes a grant")
      const subjects = [
        { table: "data_request", subject: asked.id, topic: "merchant.identity.request.approved" },
        { table: "data_request", subject: unwelcome.id, topic: "merchant.identity.request.denied" },
        { table: "consent_grant", subject: grant.id, topic: "merchant.identity.consent_granted" }
      ]
      const events = [...approval.events, ...denial.events]
      for (const { subject, table, topic } of subjects) {
        const event = events.find((one) => one.topic === topic) ?? assert.fail(`there is ${topic}`)
        const set = `update surety.${table} set event_id = $2 where id = $1`
        const nowhere = "00000000-0000-7000-8000-000000000000"
        assert.deepStrictEqual(yield* faultsAfter(set, [toUuid(subject), nowhere]), [
          { check: "events_have_causes", subject, detail: "no event" },
          { check: "events_have_causes", subject: event.id, detail: `${topic} without its cause` }
        ])
        const other = events.find((one) => one.topic !== topic) ?? assert.fail("there are three")
        const swapped = yield* faultsAfter(set, [toUuid(subject), toUuid(other.id)])
        assert.lengthOf(swapped, 2, "an event of another topic is not its own")
        assert.deepStrictEqual(yield* faultsAfter(set, [toUuid(subject), toUuid(event.id)]), [])
      }
      yield* tamper("delete from surety.event where id = $1", [toUuid(events[0]?.id ?? "")])
      const eventless = [{ check: "events_have_causes" as const, subject: asked.id, detail: "no event" }]
      assert.deepStrictEqual(yield* (yield* Ledger).audit, eventless)
    })
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit of receipts", (it) => {
  it.effect("finds what was given, refused or ended without a receipt, and grants and requests that contradict", () =>
    Effect.gen(function* () {
      const { consumer, scope } = yield* FreshConsent.parties()
      const { request: asked } = yield* ConsentAttempt.askedAnew(scope, consumer)
      const { grant, receipt: approval } = yield* ConsentAttempt.decided(asked.id, ConsentAttempt.approveAll)
      if (grant === undefined) return assert.fail("an approval makes a grant")
      const { request: unwelcome } = yield* ConsentAttempt.askedAnew(scope, consumer, { purpose: "another" })
      const { receipt: denial } = yield* ConsentAttempt.decided(unwelcome.id, ConsentAttempt.deny)
      const { receipt: end } = yield* ConsentAttempt.revoked(grant)
      yield* LedgerChecks.expectSound
      const unreceipted = (subject: string, became: string): LedgerFault => ({
        check: "consents_have_receipts",
        subject,
        detail: `no receipt that it is ${became}`
      })
      const away = "update surety.consent_receipt set environment = 'TEST' where id = $1"
      const back = "update surety.consent_receipt set environment = 'LIVE' where id = $1"
      for (const [receipt, fault] of [
        [approval, unreceipted(grant.id, "GRANTED")],
        [denial, unreceipted(unwelcome.id, "DENIED")],
        [end, unreceipted(grant.id, "REVOKED")]
      ] as const) {
        const id = [toUuid(receipt?.id ?? "")]
        assert.deepStrictEqual(yield* faultsAfter(away, id), [fault])
        assert.deepStrictEqual(yield* faultsAfter(back, id), [])
      }
      const of = "update surety.consent_grant set data_request_id = $2 where id = $1"
      assert.deepStrictEqual(yield* faultsAfter(of, [toUuid(grant.id), toUuid(unwelcome.id)]), [
        { check: "grants_have_requests", subject: grant.id, detail: `its request ${unwelcome.id} is DENIED` },
        { check: "grants_have_requests", subject: asked.id, detail: "approved without a grant" }
      ])
      const nowhere = "00000000-0000-7000-8000-000000000000"
      const [lost] = yield* faultsAfter(of, [toUuid(grant.id), nowhere])
      assert.deepInclude(lost, { subject: grant.id })
      assert.match(lost?.detail ?? "", /^its request datareq_[0-9a-z]{26} is missing$/)
    })
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true })("the check of a chain", (it) => {
  for (const { found, how, statement } of crimes) {
    it.effect(`finds ${how}, and nothing in the neighbour's chain`, () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`alter table surety.consent_receipt drop constraint if exists consent_receipt_hash_check`
        const [mine, neighbour] = yield* Effect.replicateEffect(FreshConsent.parties(), 2)
        if (!mine || !neighbour) return assert.fail("there are two")
        for (const { consumer, scope } of [mine, neighbour]) {
          yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 3)
          assert.deepInclude(yield* reportOf(scope), { receipts: 3, faults: [] })
        }
        yield* tamper(statement, [toUuid(mine.scope.merchantId)])
        assert.deepEqual<unknown>((yield* reportOf(mine.scope)).faults, found)
        assert.deepInclude(yield* reportOf(neighbour.scope), { receipts: 3, faults: [] })
      })
    )
  }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("how far a chain is verified", (it) => {
  it.effect(
    "is kept by the owner of the tables: what changed before it is found afresh, and what came after it always",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`alter table surety.consent_receipt drop constraint if exists consent_receipt_hash_check`
        const { consumer, scope } = yield* FreshConsent.parties()
        yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 2, { discard: true })
        assert.deepInclude(yield* nextOf(scope), { receipts: 2, faults: [] })
        yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 2, { discard: true })
        const change = `update surety.consent_receipt set body = replace(body, 'email', 'e_mail')
        where merchant_id = $1 and sequence = `
        yield* tamper(`${change} 1`, [toUuid(scope.merchantId)])
        assert.deepInclude(yield* nextOf(scope), { receipts: 4, faults: [] })
        assert.deepInclude(yield* nextOf(scope, true), { faults: [{ sequence: 1, reason: "content_differs" }] })
        yield* ConsentAttempt.given(scope, consumer)
        yield* tamper(`${change} 5`, [toUuid(scope.merchantId)])
        for (const _ of ["found", "and found again"]) {
          assert.deepInclude(yield* nextOf(scope), { faults: [{ sequence: 5, reason: "content_differs" }] })
        }
      })
  )
})
