import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { toUuid } from "@surety/core/Ids"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { Effect } from "effect"
import { expectRefused } from "../expectRefused.js"
import * as TestStores from "../TestStores.js"

/**
 * Stores an approved, a pending and a denied request, an active and a revoked grant, and a read, all in LIVE. In TEST,
 * stores only a merchant and a consumer.
 */
const records = Effect.gen(function* () {
  const { consumer, scope } = yield* FreshConsent.parties("LIVE")
  const asked = (purpose: string) => ConsentAttempt.askedAnew(scope, consumer, { purpose })
  const pending = (yield* asked("to ship your order")).request
  const approved = yield* ConsentAttempt.decided((yield* asked("to know you")).request.id, ConsentAttempt.approveAll)
  const denied = yield* ConsentAttempt.decided((yield* asked("to call you")).request.id, ConsentAttempt.deny)
  const grant = approved.grant ?? assert.fail("an approval makes a grant")
  const ended = yield* ConsentAttempt.revoked((yield* ConsentAttempt.given(scope, consumer)).grant)
  yield* ConsentAttempt.read(scope, consumer)
  const stranger = yield* FreshConsent.parties("TEST")
  return { pending, approved: approved.request, denied: denied.request, grant, ended: ended.grant, scope, stranger }
})

const forgetKeys = (id: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql`delete from surety.data_request_key where data_request_id = ${id}`)

it.layer(TestStores.postgres, { excludeTestServices: true })("the tables of consent hold, for any write", (it) => {
  it.effect("that receipts and readings are never changed, deleted or truncated", () =>
    Effect.gen(function* () {
      yield* records
      for (const table of ["consent_receipt", "identity_read"]) {
        yield* expectRefused("never changed", `update surety.${table} set user_id = user_id`)
        yield* expectRefused("never changed", `delete from surety.${table} where false`)
        yield* expectRefused("never changed", `truncate surety.${table} cascade`)
      }
    })
  )

  it.effect("that a receipt has the hash of its text and of the one before it, and a place of its own", () =>
    Effect.gen(function* () {
      const log = yield* ConsentLog
      const { scope } = yield* records
      const end = yield* log.chainEnd(scope)
      const append = (columns: string) => `
        insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
        select gen_random_uuid(), merchant_id, environment, user_id, ${columns} from surety.consent_receipt
        where merchant_id = $1 and sequence = $2`
      const last = [toUuid(scope.merchantId), end.sequence]
      const hashed = "surety.receipt_hash(hash, 'text')"
      yield* expectRefused("consent_receipt_hash_check", append(`sequence + 1, 'other text', hash, ${hashed}`), last)
      yield* expectRefused("consent_receipt_hash_check", append(`sequence + 1, 'text', previous_hash, ${hashed}`), last)
      yield* expectRefused("consent_receipt_place_key", append(`sequence, 'text', hash, ${hashed}`), last)
      yield* expectRefused("consent_receipt_first_check", append(`1, 'text', hash, ${hashed}`), last)
      const zeros = "repeat('0', 64)"
      const again = append(`sequence + 1, 'text', ${zeros}, surety.receipt_hash(${zeros}, 'text')`)
      yield* expectRefused("consent_receipt_first_check", again, last)
      const beyond = "update surety.receipt_chain_end set sequence = sequence + 1"
      yield* expectRefused("receipt_chain_end_receipt_fkey", beyond)
      const sql = yield* PgClient.PgClient
      const kept = yield* sql.unsafe(`${append(`sequence + 1, 'text', hash, ${hashed}`)} returning 1`, last)
      assert.lengthOf(kept, 1, "what a receipt may be is taken")
    })
  )

  it.effect("that states, actors, reasons and origins are ones that there are", () =>
    Effect.gen(function* () {
      yield* records
      for (const [table, column, value] of [
        ["data_request", "status", "SEEN"],
        ["data_request", "environment", "STAGING"],
        ["data_request", "denial_reason", "BORED"],
        ["data_request", "decided_by_kind", "ROBOT"],
        ["consent_grant", "status", "PAUSED"],
        ["consent_grant", "origin", "GUESS"],
        ["consent_grant", "granted_by_kind", "ROBOT"],
        ["consent_grant", "revoked_by_kind", "ROBOT"]
      ] as const) {
        yield* expectRefused(`${table}_`, `update surety.${table} set ${column} = '${value}'`)
      }
    })
  )

  it.effect("that a request's columns are those of its state", () =>
    Effect.gen(function* () {
      const { approved, denied, pending } = yield* records
      const set = (change: string) => `update surety.data_request set ${change} where id = $1`
      for (const [request, rule, change] of [
        [pending, "approved_check", "status = 'APPROVED', decided_at = now()"],
        [pending, "decided_check", "decided_at = now()"],
        [pending, "denied_check", "denial_reason = 'NOT_ME'"],
        [pending, "pending_check", "token_hash = null, link_key_id = null, link_sealed = null"],
        [pending, "fields_check", "requested_fields = '{}'"],
        [pending, "expiry_check", "expires_at = created_at"],
        [pending, "link_check", "link_sealed = null"],
        [pending, "link_check", "answer = null"],
        [approved, "approved_check", "approved_fields = null"],
        [approved, "approved_check", "approved_fields = '{}'"],
        [approved, "approved_check", "approved_fields = '{kyc_status}'"],
        [approved, "event_check", "event_id = null"],
        [approved, "notify_check", "notify_at = now()"],
        [denied, "denied_check", "denial_reason = null"],
        [denied, "actor_check", "decided_by_kind = null, event_id = null"]
      ] as const) {
        yield* expectRefused(`data_request_${rule}`, set(change), [toUuid(request.id)])
      }
    })
  )

  it.effect("that a grant names a request exactly if it was asked for, and who ended it exactly if it was ended", () =>
    Effect.gen(function* () {
      const { ended, grant } = yield* records
      const set = (change: string) => `update surety.consent_grant set ${change} where id = $1`
      for (const [one, rule, change] of [
        [grant, "origin_check", "data_request_id = null"],
        [grant, "origin_check", "origin = 'HOST'"],
        [ended, "origin_check", "origin = 'REQUEST'"],
        [grant, "revoked_check", "status = 'REVOKED'"],
        [grant, "revoked_check", "revocation_reason = 'moved'"],
        [ended, "revoked_check", "status = 'ACTIVE'"],
        [ended, "revoked_check", "revoked_by_kind = null, revoked_by_name = null"],
        [grant, "fields_check", "fields = '{}'"],
        [grant, "expiry_check", "expires_at = granted_at"]
      ] as const) {
        yield* expectRefused(`consent_grant_${rule}`, set(change), [toUuid(one.id)])
      }
      const copy = `insert into surety.consent_grant (id, merchant_id, environment, user_id, service_id, fields, purpose,
        origin, data_request_id, granted_by_kind, status, granted_at, expires_at, event_id)
        select gen_random_uuid(), merchant_id, environment, user_id, service_id, fields, purpose, origin,
          data_request_id, granted_by_kind, status, granted_at, expires_at, event_id
        from surety.consent_grant where id = $1`
      yield* expectRefused("consent_grant_request_key", copy, [toUuid(grant.id)])
    })
  )

  it.effect("that no row points across merchants or environments, or at a missing person or event", () =>
    Effect.gen(function* () {
      const { grant, pending, stranger } = yield* records
      const merchant = toUuid(stranger.scope.merchantId)
      for (const table of ["data_request", "consent_grant"]) {
        const id = toUuid(table === "data_request" ? pending.id : grant.id)
        const set = (change: string) => `update surety.${table} set ${change} where id = $1`
        yield* expectRefused(`${table}_`, set("environment = 'TEST'"), [id])
        yield* expectRefused(`${table}_consumer_fkey`, set("user_id = $2"), [id, stranger.consumer.userId])
        yield* forgetKeys(id)
        yield* expectRefused(`${table}_merchant_fkey`, set("merchant_id = gen_random_uuid()"), [id])
      }
      const event = "update surety.consent_grant set event_id = gen_random_uuid() where id = $1"
      yield* expectRefused("consent_grant_event_fkey", event, [toUuid(grant.id)])
      const move = "update surety.consent_grant set merchant_id = $2 where id = $1"
      yield* expectRefused("consent_grant_", move, [toUuid(grant.id), merchant])
      const read = `insert into surety.identity_read (id, merchant_id, environment, user_id, service_id, fields, read_at)
        values (gen_random_uuid(), $1, 'LIVE', $2, 's', '{}', now())`
      yield* expectRefused("identity_read_consumer_fkey", read, [merchant, stranger.consumer.userId])
    })
  )

  it.effect("that a key stands for one request of a merchant and environment, and a token for one of all", () =>
    Effect.gen(function* () {
      const { approved, pending } = yield* records
      const take = (columns: string) => `update surety.data_request r set ${columns} from surety.data_request o
        where r.id = $1 and o.id = $2`
      const both = [toUuid(approved.id), toUuid(pending.id)]
      const key = `update surety.data_request_key k set idempotency_key = o.idempotency_key
        from surety.data_request_key o where k.data_request_id = $1 and o.data_request_id = $2`
      yield* expectRefused("data_request_key_pkey", key, both)
      yield* expectRefused("data_request_token_key", take("token_hash = o.token_hash"), both)
    })
  )
})
