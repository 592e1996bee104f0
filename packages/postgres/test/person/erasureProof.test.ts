import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { HostRequestKey } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { KycStore } from "@surety/core/kyc/KycStore"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import * as FreshRightsRequest from "@surety/testing/person/FreshRightsRequest"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Redacted, Schema } from "effect"
import * as TestStores from "../TestStores.js"
import { classifiedColumns, dataMapPage, personData, removedColumns } from "./PersonData.js"

const decodeColumns = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, column: Schema.String, type: Schema.String }))
)

const columnsIn = (sql: PgClient.PgClient) =>
  Effect.flatMap(
    sql`
      select c.relname::text as table, a.attname::text as column, format_type(a.atttypid, null) as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'surety'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by 1, 2`,
    decodeColumns
  )

const decodeLines = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ line: Schema.String })))

const dumpOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const lines: Array<string> = []
  for (const table of new Set((yield* columnsIn(sql)).map((column) => column.table))) {
    const rows = yield* Effect.flatMap(
      sql`select to_jsonb(t)::text as line from ${sql.literal(`surety.${table}`)} t`,
      decodeLines
    )
    lines.push(...rows.map(({ line }) => `${table}: ${line}`))
  }
  return lines
})

/** Canaries for columns whose check constraints reject the default one, `canary-<table>-<column>`. */
const canaries: Readonly<Record<string, string>> = {
  "data_request.return_url": "https://canary-of-a-return.example",
  "verification.id_hash": "canary.verification-id-hash",
  "verification.id_last4": "Kn4R"
}

/**
 * Columns without a canary, since they identify rows or allow few values. The test searches for the identifying values.
 */
const fixed = new Set([
  "user_id",
  "kyc_status",
  "consumer.service_id",
  "code_challenge.link_hash",
  "data_request.token_hash",
  "management_link.token_hash",
  "requests.person"
])

const userId = UserId.make("canary-user-id")

const managementToken = ConsentTokenHash.make("canary-of-a-management-link")

/** Creates a person with a row in every table that holds personal data. */
const personEverywhere = Effect.gen(function* () {
  const consumers = yield* ConsumerStore
  const start = yield* Fresh.longAgo
  const feed = yield* PlatformFeed
  yield* feed.begin
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  yield* FreshEndpoint.make(scope, { at: start })
  const consumer = { ...(yield* FreshConsumer.unstored("LIVE")), userId, externalId: "canary", kycTier: "canary" }
  assert.isTrue(yield* consumers.insert(consumer, FreshConsumer.linkOf(scope, consumer)))
  const { link } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
  const codes = yield* CodeChallengeStore
  const now = yield* Fresh.now
  yield* codes.change(link?.tokenHash ?? assert.fail("a person is asked by a link"), () => ({
    answer: undefined,
    next: {
      codeHash: Fingerprint.make("k1.canary"),
      triesLeft: 1,
      expiresAt: Fresh.later(now, 60_000),
      sends: 1,
      windowEndsAt: Fresh.later(now, 60_000)
    }
  }))
  yield* ConsentAttempt.revoked((yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })).grant)
  yield* ConsentAttempt.given(scope, consumer)
  yield* ConsentAttempt.readable(scope, consumer)
  const blocked = yield* ConsentAttempt.askedAnew(scope, consumer, {
    fields: ["country"],
    change: (plan) => ({
      ...plan,
      request: { ...plan.request, returnUrl: "https://shop.example/back", state: "of a session" }
    })
  })
  yield* ConsentAttempt.decided(blocked.request.id, ConsentAttempt.disown)
  const { payment } = yield* FreshPayment.settled({ scope, consumer, amountMinor: 1_000n, at: start })
  const queue = yield* DeliveryQueue
  const due = yield* FreshEvent.claimOne(Fresh.later(start, FreshEvent.minute))
  yield* queue.settle(due, FreshEvent.attemptOf(due, start), { _tag: "Delivered" })
  const key = Fresh.idempotencyKey()
  // Like the API's response, names the person only by the consumer identifier.
  const answer = JSON.stringify({ serviceId: consumer.serviceId })
  yield* RefundAttempt.executed(scope, payment, {
    amountMinor: 400n,
    key,
    change: (plan) => ({ ...plan, answer })
  })
  const { verification } = FreshVerification.planOf(yield* FreshVerification.attempt(scope, consumer))
  const kyc = yield* KycStore
  yield* kyc.settle(
    FreshVerification.verifiedBy({ verification, fence: 1, looks: 0, codes: 0, dueAt: verification.createdAt })
  )
  const links = yield* ManagementLinkStore
  const { environment, serviceId } = consumer
  const linkTimes = { createdAt: now, expiresAt: Fresh.later(now, 60_000) }
  yield* links.keep({
    tokenHash: managementToken,
    environment,
    userId,
    serviceId,
    ...linkTimes
  })
  const requests = yield* RightsRequestStore
  const right = FreshRightsRequest.of(consumer, "RECTIFY", now)
  yield* requests.ask({ ...right, note: Redacted.make("canary") }, FreshRightsRequest.eventOf(right))
  const hostRequests = yield* HostRequestStore
  const queued = { environment, userId, displayName: "canary-of-a-queued-call" }
  yield* hostRequests.enqueue({
    key: HostRequestKey.make(Fresh.randomText("queued")),
    kind: "consumers.ensure",
    payload: queued,
    queue: undefined
  })
  const transfers = yield* OperatorTransferStore
  yield* transfers.post({
    posted: {
      id: Fresh.transferId(now),
      kind: "FUNDING",
      environment,
      amount: { ...payment.amount, minor: 5n },
      userId,
      serviceId,
      reason: "asked",
      at: now
    },
    idempotencyKey: Fresh.idempotencyKey(),
    fingerprint: Fingerprint.make("k1.transfer")
  })
  const proposals = yield* ProposalStore
  yield* proposals.propose({
    proposal: {
      id: Fresh.proposalId(now),
      environment,
      command: { _tag: "Erasure", serviceId },
      reason: "asked",
      proposedBy: "ada",
      proposedAt: now,
      endsAt: Fresh.later(now, 60_000),
      status: "OPEN"
    },
    idempotencyKey: Fresh.idempotencyKey(),
    fingerprint: Fingerprint.make("k1.proposal")
  })
  const people = yield* PersonStore
  const actions = yield* OperatorActionStore
  yield* actions.commit(people.restrict("LIVE", serviceId, now), () => ({
    id: Fresh.operatorActionId(now),
    actor: "ada",
    kind: "person.restricted",
    target: serviceId,
    environment,
    serviceId,
    reason: "asked",
    changes: [],
    at: now
  }))
  return { consumer, key, payment, scope, tokenHash: link?.tokenHash ?? "none" }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("what is held of people", (it) => {
  it.effect("is classified: every column of every table stands in PersonData.ts, and none that does not exist", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const found: Record<string, Array<string>> = {}
      for (const { column, table } of yield* columnsIn(sql)) found[table] = [...(found[table] ?? []), column].sort()
      const classified = Object.fromEntries(
        Object.entries(personData).map(([table, data]) => [table, classifiedColumns(data)])
      )
      assert.deepStrictEqual(found, classified, "a new column is classified in PersonData.ts")
    })
  )

  it.effect(
    "names a person by a foreign key that an erasure carries the pseudonym through, wherever it has a user id",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const carried = yield* Effect.flatMap(
          sql`
          select c.relname::text as line from pg_constraint k join pg_class c on c.oid = k.conrelid
          where k.confrelid = 'surety.consumer'::regclass and k.contype = 'f' and k.confupdtype = 'c' order by 1`,
          decodeLines
        )
        const withUserId = (yield* columnsIn(sql))
          .filter(({ column }) => column === "user_id")
          .map(({ table }) => table)
        assert.deepStrictEqual(
          carried.map(({ line }) => line),
          withUserId
        )
      })
  )

  it.effect("is gone after an erasure, but for the documented rest: a canary in every column of a person", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const people = yield* PersonStore
      const person = yield* personEverywhere
      const types = new Map(
        (yield* columnsIn(sql)).map(({ column, table, type }) => [`${table}.${column}`, type] as const)
      )
      const planted: Array<string> = [userId, "canary-of-a-queued-call"]
      for (const [table, data] of Object.entries(personData)) {
        if (data.rows === undefined) continue
        const name = `surety.${table}`
        const rows = sql.unsafe(`select 1 from ${name} t where ${data.rows}`, [userId])
        if (table !== "operator_transfer") assert.isAbove((yield* rows).length, 0, `the person has a row in ${table}`)
        for (const column of removedColumns(data)) {
          const type = types.get(`${table}.${column}`)
          if (fixed.has(column) || fixed.has(`${table}.${column}`) || (type !== "text" && type !== "bytea")) continue
          const canary = canaries[`${table}.${column}`] ?? `canary-${table}-${column}`
          const value = type === "bytea" ? `convert_to('${canary}', 'UTF8')` : `'${canary}'`
          const one = `(select t.ctid from ${name} t where ${data.rows} order by t.${column} is null limit 1)`
          const changed = yield* sql.unsafe(`update ${name} set ${column} = ${value} where ctid = ${one} returning 1`, [
            userId
          ])
          assert.lengthOf(changed, 1, `a canary stands in ${table}.${column}`)
          planted.push(type === "bytea" ? Buffer.from(canary).toString("hex") : canary)
        }
      }
      planted.push(managementToken, person.tokenHash, "canary", person.consumer.serviceId)
      const before = (yield* dumpOf(sql)).join("\n")
      for (const canary of planted) assert.include(before, canary, "it is there before")

      const { pseudonym } = yield* ErasureAttempt.erased(person.consumer)

      const dump = yield* dumpOf(sql)
      const placesOf = (canary: string) => dump.filter((line) => line.includes(canary))
      const documented = new Set(
        Object.entries(personData).flatMap(([table, { identifier, stays }]) =>
          identifier === undefined && stays === undefined ? [] : [table]
        )
      )
      for (const canary of planted) {
        if (canary === person.consumer.serviceId) {
          for (const line of placesOf(canary)) assert.isTrue(documented.has(line.slice(0, line.indexOf(":"))), line)
        } else assert.deepStrictEqual(placesOf(canary), [], canary)
      }
      assert.isAbove(placesOf(pseudonym).length, 5)
      for (const [table, { isDeleted, rows }] of Object.entries(personData)) {
        if (isDeleted === undefined || rows === undefined) continue
        assert.lengthOf(yield* sql.unsafe(`select 1 from surety.${table} t where ${rows}`, [pseudonym]), 0, table)
      }

      yield* LedgerChecks.expectSound
      const replay = yield* RefundAttempt.make(person.scope, person.payment, { amountMinor: 400n, key: person.key })
      assert.strictEqual(replay._tag, "Replay")
      assert.isUndefined(yield* ConsentAttempt.readable(person.scope, person.consumer))
      assert.isTrue((yield* people.find("LIVE", person.consumer.serviceId))._tag === "Some")
    })
  )

  it("is shown by the data map that is committed", async ({ expect }) => {
    await expect(dataMapPage()).toMatchFileSnapshot("../../../../docs/platform/data-map.md")
  })
})
