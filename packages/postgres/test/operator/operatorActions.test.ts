import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import * as Fresh from "@surety/testing/FreshIds"
import { expectFailure } from "@surety/testing/Law"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Option } from "effect"
import * as TestStores from "../TestStores.js"

const acting = Effect.gen(function* () {
  const store = yield* OperatorActionStore
  const merchants = yield* MerchantStore
  const sql = yield* PgClient.PgClient
  const merchant = yield* FreshMerchant.make()
  const { createdAt: at, id } = merchant
  const action: OperatorAction = {
    id: Fresh.operatorActionId(at),
    actor: "ada",
    kind: "merchant.status_changed",
    target: id,
    merchantId: id,
    changes: [],
    at
  }
  const suspend = merchants.transition({ merchantId: id, from: "ACTIVE", to: "SUSPENDED", actor: "ada", at })
  const kept = Effect.map(
    sql`select 1 from surety.operator_action where id = ${toUuid(action.id)}`,
    ({ length }) => length
  )
  const status = Effect.map(merchants.find(id), (found) => Option.getOrThrow(found).status)
  return { action, kept, sql, status, store, suspend }
})

const neither = (what: string, { kept, status }: Effect.Success<typeof acting>) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* status, "ACTIVE", `${what}: the change`)
    assert.strictEqual(yield* kept, 0, `${what}: its action`)
  })

it.layer(TestStores.postgres, { excludeTestServices: true })("operator actions", (it) => {
  it.effect("are in the commit of their change: a connection that dies between them leaves neither", () =>
    Effect.gen(function* () {
      const test = yield* acting
      const { action, sql, store, suspend } = test
      const die = sql`select pg_terminate_backend(pg_backend_pid())`
      yield* expectFailure(
        "a commit without a connection",
        store.commit(Effect.andThen(suspend, die), () => action)
      )
      yield* neither("the connection dies", test)
    })
  )

  it.effect("are not kept without their change, nor it without them", () =>
    Effect.gen(function* () {
      const test = yield* acting
      const { action, kept, status, store, suspend } = test
      yield* expectFailure(
        "a refusal",
        store.commit(Effect.andThen(suspend, Effect.fail("no")), () => action)
      )
      yield* neither("a refusal after the change", test)
      yield* expectFailure(
        "an action that cannot be stored",
        store.commit(suspend, () => ({ ...action, actor: "" }))
      )
      yield* neither("an action that cannot be stored", test)
      assert.isTrue(yield* store.commit(suspend, () => action))
      assert.strictEqual(yield* status, "SUSPENDED")
      assert.strictEqual(yield* kept, 1)
    })
  )

  it.effect("are never changed or removed", () =>
    Effect.gen(function* () {
      const { action, kept, sql, store } = yield* acting
      yield* store.commit(Effect.void, () => action)
      yield* expectFailure("an update", sql`update surety.operator_action set actor = 'eve'`)
      yield* expectFailure("a deletion", sql`delete from surety.operator_action`)
      yield* expectFailure("a truncation", sql`truncate surety.operator_action`)
      assert.strictEqual(yield* kept, 1)
    })
  )
})
