import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { type MerchantScope, MerchantStatus } from "@surety/core/merchant/Merchant"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { RequestEntry } from "@surety/core/request/RequestEntry"
import { lastUseStep, type RequestFilter, RequestStore } from "@surety/core/request/RequestStore"
import { type DateTime, Duration, Effect, type Layer } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"

const everything: RequestFilter = { status: undefined, route: undefined }

const keyOf = Effect.fnUntraced(function* (scope: MerchantScope) {
  const store = yield* ApiKeyStore
  const createdAt = yield* Fresh.now
  const hash = ApiKeyHash.make(Fresh.sha256(Fresh.randomText("sk"), "hex"))
  const key = { id: Fresh.apiKeyId(createdAt), ...scope, hash, last4: "x7Qa", createdAt }
  assertEquals(yield* store.issue(key, MerchantStatus.literals), { _tag: "Issued" })
  return key
})

const caller = Effect.gen(function* () {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
  return { scope, key: yield* keyOf(scope) }
})

type Caller = Effect.Success<typeof caller>

const entryOf = ({ key, scope }: Caller, at: DateTime.Utc, entry: Partial<RequestEntry> = {}): RequestEntry => ({
  ...scope,
  apiKeyId: key.id,
  keyLast4: key.last4,
  method: "POST",
  route: "/v1/refunds",
  status: 201,
  requestId: Fresh.randomText("request"),
  at,
  ...entry
})

const listed = Effect.fnUntraced(function* (scope: MerchantScope, filter = everything) {
  const store = yield* RequestStore
  return yield* PageWalk.all((page) => store.list(scope, filter, page), 2)
})

export const listsNewestFirst = law(
  "lists a merchant's entries of one environment as they were noted, the last stored first, and by status or route",
  Effect.gen(function* () {
    const store = yield* RequestStore
    const own = yield* caller
    const stranger = yield* caller
    const at = yield* Fresh.now
    const { route: _, ...unmatched } = entryOf(own, at, { status: 404, code: "route_not_found", method: "GET" })
    const entries: ReadonlyArray<RequestEntry> = [
      entryOf(own, at),
      entryOf(own, at, { status: 409, code: "already_refunded" }),
      unmatched,
      entryOf(own, at, { route: "/v1/whoami", method: "GET", status: 200 }),
      entryOf(own, at)
    ]
    yield* store.append(entries.slice(0, 2))
    yield* store.append([entryOf(stranger, at)])
    yield* store.append(entries.slice(2))
    const newest = entries.toReversed()
    assertEquals([...(yield* listed(own.scope))], newest)
    assertEquals([...(yield* listed(FreshMerchant.otherEnvironment(own.scope)))], [])
    assertEquals((yield* listed(stranger.scope)).length, 1)
    const matching = (filter: Partial<RequestFilter>) => listed(own.scope, { ...everything, ...filter })
    assertEquals([...(yield* matching({ status: 404 }))], [unmatched])
    assertEquals(
      [...(yield* matching({ route: "/v1/refunds" }))],
      newest.filter(({ route }) => route === "/v1/refunds")
    )
    assertEquals((yield* matching({ route: "/v1/refunds", status: 409 })).length, 1)
    assertEquals([...(yield* matching({ route: "/v1/whoami", status: 409 }))], [])
  })
)

export const movesLastUse = law(
  "moves the last use of the keys that were used, and of no other, forward and in steps",
  Effect.gen(function* () {
    const store = yield* RequestStore
    const keys = yield* ApiKeyStore
    const own = yield* caller
    const unused = yield* keyOf(own.scope)
    const at = yield* Fresh.now
    const step = Duration.toMillis(lastUseStep)
    const lastUse = Effect.map(
      keys.list(own.scope.merchantId),
      (all) => all.find(({ id }) => id === own.key.id)?.lastUsedAt
    )
    assertEquals(yield* lastUse, undefined)
    yield* store.append([entryOf(own, Fresh.later(at, -10)), entryOf(own, at), entryOf(own, Fresh.later(at, -20))])
    assertEquals(yield* lastUse, at, "the latest of a batch")
    yield* store.append([entryOf(own, Fresh.later(at, -step))])
    yield* store.append([entryOf(own, Fresh.later(at, step - 1))])
    assertEquals(yield* lastUse, at, "neither back nor before a step has passed")
    yield* store.append([entryOf(own, Fresh.later(at, step))])
    assertEquals(yield* lastUse, Fresh.later(at, step))
    const other = (yield* keys.list(own.scope.merchantId)).find(({ id }) => id === unused.id)
    assertEquals(other, unused)
  })
)

export const forgetsOld = law(
  "deletes entries answered before a time, and no others, a bounded number at once",
  Effect.gen(function* () {
    const store = yield* RequestStore
    const own = yield* caller
    const old = yield* Fresh.longAgo
    const kept = entryOf(own, Fresh.later(old, 10))
    yield* store.append([entryOf(own, old), entryOf(own, Fresh.later(old, 9)), kept, entryOf(own, old)])
    const limit = 2
    assert.strictEqual(yield* store.forget(Fresh.later(old, 10), limit), 2)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 10), limit), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 10), limit), 0)
    assertEquals([...(yield* listed(own.scope))], [kept])
    yield* store.forget(Fresh.later(old, 11), 100)
  })
)

export const laws = [listsNewestFirst, movesLastUse, forgetsOld]

type Ports = RequestStore | ApiKeyStore | MerchantStore

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>("RequestStore", laws)
