import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Option } from "effect"
import { expectRefused } from "../expectRefused.js"
import * as TestStores from "../TestStores.js"

const verifications = Effect.gen(function* () {
  const store = yield* KycStore
  const open = yield* FreshVerification.make()
  const ended = yield* FreshVerification.make({ scope: open.scope })
  assert.isTrue(Option.isSome(yield* store.settle(FreshVerification.verifiedBy(ended.leased))))
  return { open, ended }
})

const set = (assignments: string): string => `update surety.verification set ${assignments} where id = $1`

it.layer(TestStores.postgres, { excludeTestServices: true })(
  "the table of verifications holds, for any write",
  (it) => {
    it.effect("that one is open exactly as long as it is due some time and has no end", () =>
      Effect.gen(function* () {
        const { ended, open } = yield* verifications
        const ids = { open: [toUuid(open.verification.id)], ended: [toUuid(ended.verification.id)] }
        for (const [which, assignments, rule] of [
          ["open", "due_at = null, answer = '{}'", "verification_due_check"],
          ["open", "completed_at = now()", "verification_completed_check"],
          ["open", "status = 'VERIFIED'", "verification_completed_check"],
          ["open", "status = 'VERIFIED', completed_at = now()", "verification_due_check"],
          ["ended", "status = 'PENDING'", "verification_completed_check"],
          ["ended", "status = 'REQUIRES_ACTION', completed_at = null", "verification_due_check"],
          ["ended", "due_at = now()", "verification_due_check"],
          ["open", "status = 'REQUIRES_ACTION'", "verification_next_action_check"],
          ["open", "next_action = '{}'", "verification_next_action_check"],
          ["ended", "leased_until = now()", "verification_lease_check"]
        ] as const) {
          yield* expectRefused(rule, set(assignments), ids[which])
        }
      })
    )

    it.effect("that an answer has a key, an open one keeps its key, and what has ended with a key has an answer", () =>
      Effect.gen(function* () {
        const { ended, open } = yield* verifications
        const ids = { open: [toUuid(open.verification.id)], ended: [toUuid(ended.verification.id)] }
        for (const [which, assignments, rule] of [
          ["open", "idempotency_key = null, fingerprint = null", "verification_open_key_check"],
          ["open", "fingerprint = null", "verification_key_check"],
          ["ended", "idempotency_key = null, fingerprint = null", "verification_answer_check"],
          ["open", "idempotency_key = null", "verification_key_check"],
          ["ended", "answer = null", "verification_answer_check"]
        ] as const) {
          yield* expectRefused(rule, set(assignments), ids[which])
        }
        const copy = `insert into surety.verification
        select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid()))).* from surety.verification v
        where id = $1`
        yield* expectRefused("verification_idempotency_key", copy, ids.ended)
      })
    )

    it.effect("that states, kinds, results and reasons are ones that there are", () =>
      Effect.gen(function* () {
        const { ended, open } = yield* verifications
        for (const [assignments, rule] of [
          ["kind = 'passport'", "verification_kind_check"],
          ["environment = 'STAGING'", "verification_environment_check"],
          ["first_name_result = 'Ada'", "verification_first_name_check"],
          ["last_name_result = 'Obi'", "verification_last_name_check"],
          ["date_of_birth_result = '1990-01-01'", "verification_date_of_birth_check"],
          ["selfie_result = '/9j/'", "verification_selfie_check"],
          ["failure_reason = 'id_not_found'", "verification_failure_check"],
          ["provider_reference = 'two words'", "verification_provider_reference_check"],
          ["consent_method = 'SAID_SO'", "verification_consent_method_check"],
          ["provider = null", "verification_provider_check"],
          ["fence = 0", "verification_fence_check"],
          ["looks = -1", "verification_looks_check"]
        ] as const) {
          yield* expectRefused(rule, set(assignments), [toUuid(open.verification.id)])
        }
        yield* expectRefused("verification_status_check", set("status = 'DONE'"), [toUuid(ended.verification.id)])
        const quoting = set("status = 'FAILED', failure_reason = 'No such person: Ada Obi'")
        yield* expectRefused("verification_failure_reason_check", quoting, [toUuid(ended.verification.id)])
        const fail = set("status = 'FAILED'")
        yield* expectRefused("verification_failure_check", fail, [toUuid(ended.verification.id)])
        const sql = yield* PgClient.PgClient
        const verify = `update surety.consumer set kyc_status = 'PENDING' where id = '${open.consumer.userId}'`
        yield* expectRefused("consumer_kyc_status_check", verify)
        assert.lengthOf(yield* sql`select 1 from surety.consumer where kyc_status = 'PENDING'`, 0)
      })
    )

    it.effect("that no number is kept whole where its hash or its last characters belong", () =>
      Effect.gen(function* () {
        const { open } = yield* verifications
        const params = [toUuid(open.verification.id)]
        yield* expectRefused("verification_id_last4_check", set("id_last4 = '12345'"), params)
        yield* expectRefused("verification_id_hash_check", set("id_hash = '22222222222'"), params)
        const sql = yield* PgClient.PgClient
        const columns = yield* sql`
        select column_name as name from information_schema.columns
        where table_schema = 'surety' and table_name = 'verification' order by column_name`
        assert.deepStrictEqual(
          columns
            .map(({ name }) => name)
            .join(" ")
            .split(" "),
          [
            ...[
              "answer",
              "codes",
              "completed_at",
              "consent_method",
              "created_at",
              "date_of_birth_result",
              "due_at",
              "environment",
              "event_id",
              "failure_reason"
            ],
            ...["fence", "fingerprint", "first_name_result", "id", "id_hash", "id_last4", "idempotency_key"],
            ...[
              "kind",
              "last_name_result",
              "leased_until",
              "looks",
              "merchant_id",
              "next_action",
              "provider",
              "provider_reference",
              "selfie_result"
            ],
            ...["service_id", "status", "tier", "user_id"]
          ]
        )
      })
    )

    it.effect("that a verification is of a merchant and of a consumer of its own environment", () =>
      Effect.gen(function* () {
        const { open } = yield* verifications
        const params = [toUuid(open.verification.id)]
        yield* expectRefused("verification_consumer_fkey", set("environment = 'TEST'"), params)
        yield* expectRefused("verification_consumer_fkey", set("user_id = 'nobody'"), params)
        yield* expectRefused("verification_merchant_fkey", set("merchant_id = gen_random_uuid()"), params)
        const stranger = yield* FreshMerchant.make()
        const found = yield* (yield* KycStore).find(FreshMerchant.scopeOf(stranger), open.verification.id)
        assert.isTrue(Option.isNone(found))
      })
    )
  }
)
