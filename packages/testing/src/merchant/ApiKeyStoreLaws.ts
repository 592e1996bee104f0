import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Environment } from "@surety/core/Environment"
import type { MerchantId } from "@surety/core/Ids"
import { type ApiKey, ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { KeyScope } from "@surety/core/merchant/KeyScope"
import { type Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { DateTime } from "effect"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "./FreshMerchant.js"

const keyOf = (merchantId: MerchantId, createdAt: DateTime.Utc, environment: Environment = "TEST"): ApiKey => ({
  id: Fresh.apiKeyId(createdAt),
  merchantId,
  environment,
  hash: ApiKeyHash.make(Fresh.sha256(Fresh.randomText("sk"), "hex")),
  last4: "x7Qa",
  createdAt
})

const anyStatus = MerchantStatus.literals

const issued = Effect.fnUntraced(function* (merchant: Merchant, at: DateTime.Utc = merchant.createdAt) {
  const store = yield* ApiKeyStore
  const key = keyOf(merchant.id, at)
  assertEquals(yield* store.issue(key, anyStatus), { _tag: "Issued" })
  return key
})

export const findsByHash = law(
  "finds a key by its hash, with its merchant's name and the status that the merchant has now",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchants = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const key = yield* issued(merchant)
    const holder = { key, merchantName: merchant.profile.name, status: merchant.status }
    assertEquals(yield* store.findByHash(key.hash), Option.some(holder))
    const change = { merchantId: merchant.id, from: merchant.status, actor: "operator", at: merchant.createdAt }
    assert.isTrue(yield* merchants.transition({ ...change, to: "SUSPENDED" }))
    assertEquals(yield* store.findByHash(key.hash), Option.some({ ...holder, status: "SUSPENDED" }))
    assertEquals(yield* store.findByHash(keyOf(merchant.id, merchant.createdAt).hash), Option.none())
  })
)

export const issuesOnlyWhileAllowed = law(
  "stores a key only while the merchant's status is one of those allowed",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make({ status: "PENDING_REVIEW" })
    const live = keyOf(merchant.id, merchant.createdAt, "LIVE")
    assertEquals(yield* store.issue(live, ["ACTIVE"]), { _tag: "StatusForbids", status: "PENDING_REVIEW" })
    assertEquals(yield* store.issue(live, []), { _tag: "StatusForbids", status: "PENDING_REVIEW" })
    const stranger = yield* FreshMerchant.unstored()
    const orphan = keyOf(stranger.id, stranger.createdAt)
    assertEquals(yield* store.issue(orphan, anyStatus), { _tag: "MerchantMissing" })
    assertEquals(yield* store.findByHash(live.hash), Option.none(), "nothing is stored")
    assertEquals(yield* store.findByHash(orphan.hash), Option.none(), "nothing is stored")
    assertEquals([...(yield* store.list(merchant.id))], [])
    const test = keyOf(merchant.id, merchant.createdAt)
    assertEquals(yield* store.issue(test, ["PENDING_REVIEW", "ACTIVE"]), { _tag: "Issued" })
    assertEquals([...(yield* store.list(merchant.id))], [test])
  })
)

export const checksStatusInCommit = law(
  "stores no key once the merchant has left the allowed statuses, however close the two come",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchants = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const at = merchant.createdAt
    const change = { merchantId: merchant.id, from: "ACTIVE", to: "SUSPENDED", actor: "operator", at } as const
    const issueTen = Effect.suspend(() =>
      Effect.forEach(
        Array.from({ length: 10 }, () => keyOf(merchant.id, at, "LIVE")),
        (key) => Effect.map(store.issue(key, ["ACTIVE"]), ({ _tag }) => (_tag === "Issued" ? [key.id] : [])),
        { concurrency: "unbounded" }
      )
    )
    const listed = Effect.map(store.list(merchant.id), (keys) => keys.map(({ id }) => id))
    const [early, seenAfterwards, late] = yield* Effect.all(
      [issueTen, Effect.andThen(merchants.transition(change), listed), issueTen],
      { concurrency: "unbounded" }
    )
    const kept = yield* listed
    assert.sameMembers([...kept], [...early.flat(), ...late.flat()], "what was said to be stored is, and nothing else")
    assert.sameMembers([...kept], [...seenAfterwards], "nothing came after the merchant was suspended")
    assertEquals(yield* store.issue(keyOf(merchant.id, at, "LIVE"), ["ACTIVE"]), {
      _tag: "StatusForbids",
      status: "SUSPENDED"
    })
  })
)

export const revokesOnce = law(
  "revokes a key by one call of many, still finds it, and keeps the time of the first revocation",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make()
    const key = yield* issued(merchant)
    const bystander = yield* issued(merchant, Fresh.later(merchant.createdAt, 1))
    const first = Fresh.later(merchant.createdAt, 1_000)
    const outcomes = yield* Effect.forEach(Array.from({ length: 10 }), () => store.revoke(merchant.id, key.id, first), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(outcomes.toSorted(), ["revoked", ...Array.from({ length: 9 }, () => "revoked_before")])
    assert.strictEqual(yield* store.revoke(merchant.id, key.id, Fresh.later(first, 1_000)), "revoked_before")
    const revoked = { ...key, revokedAt: first }
    assertEquals(Option.getOrThrow(yield* store.findByHash(key.hash)).key, revoked)
    assertEquals([...(yield* store.list(merchant.id))], [bystander, revoked])
  })
)

export const revokesOnlyOwn = law(
  "lets a merchant neither revoke nor list another's keys",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const owner = yield* FreshMerchant.make()
    const other = yield* FreshMerchant.make()
    const key = yield* issued(owner)
    assert.strictEqual(yield* store.revoke(other.id, key.id, key.createdAt), "key_unknown")
    const unknown = Fresh.apiKeyId(key.createdAt)
    assert.strictEqual(yield* store.revoke(owner.id, unknown, key.createdAt), "key_unknown")
    assertEquals(Option.getOrThrow(yield* store.findByHash(key.hash)).key, key)
    assertEquals([...(yield* store.list(other.id))], [])
  })
)

export const listsNewestFirst = law(
  "lists a merchant's keys of both environments newest first",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make()
    const keys = [3, 1, 2, 0].map((age) =>
      keyOf(merchant.id, Fresh.later(merchant.createdAt, -age), age % 2 === 0 ? "LIVE" : "TEST")
    )
    for (const key of keys) assertEquals(yield* store.issue(key, anyStatus), { _tag: "Issued" })
    const [oldest, third, second, newest] = keys
    assertEquals([...(yield* store.list(merchant.id))], [newest, third, second, oldest])
  })
)

export const keepsOptions = law(
  "keeps a key's name, scopes and end",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make()
    const at = merchant.createdAt
    const scopes: ReadonlyArray<KeyScope> = ["refunds:write", "identity:read"]
    const key: ApiKey = { ...keyOf(merchant.id, at), name: "checkout", scopes, expiresAt: Fresh.later(at, 1_000) }
    assertEquals(yield* store.issue(key, anyStatus), { _tag: "Issued" })
    assertEquals(Option.getOrThrow(yield* store.findByHash(key.hash)).key, key)
    assertEquals([...(yield* store.list(merchant.id))], [key])
  })
)

export const rotatesWithOverlap = law(
  "stores a key's replacement and ends the old one, never later than it would",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make()
    const at = merchant.createdAt
    const old = yield* issued(merchant)
    const until = Fresh.later(at, 5_000)
    const replace = (replaced: ApiKey, next: ApiKey, end: DateTime.Utc) =>
      store.rotate({ next, replaced: replaced.id, until: end }, anyStatus)
    const next = keyOf(merchant.id, Fresh.later(at, 1))
    assertEquals(yield* replace(old, next, until), { _tag: "Issued" })
    assertEquals([...(yield* store.list(merchant.id))], [next, { ...old, expiresAt: until }])
    const later = keyOf(merchant.id, Fresh.later(at, 2))
    assertEquals(yield* replace(old, later, Fresh.later(until, 1)), { _tag: "Issued" })
    assertEquals([...(yield* store.list(merchant.id))], [later, next, { ...old, expiresAt: until }])
    assertEquals(yield* replace(old, keyOf(merchant.id, Fresh.later(at, 3)), at), { _tag: "Issued" })
    assertEquals(Option.getOrThrow(yield* store.findByHash(old.hash)).key, { ...old, expiresAt: at })
  })
)

export const rotatesOnlyInForce = law(
  "replaces no key of another merchant or environment, none that was revoked, and none while the status forbids it",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchant = yield* FreshMerchant.make()
    const stranger = yield* FreshMerchant.make()
    const at = merchant.createdAt
    const old = yield* issued(merchant)
    const revoked = yield* issued(merchant, Fresh.later(at, 1))
    assert.strictEqual(yield* store.revoke(merchant.id, revoked.id, at), "revoked")
    const before = yield* store.list(merchant.id)
    const replace = (next: ApiKey, replaced = old.id, statuses: ReadonlyArray<MerchantStatus> = anyStatus) =>
      store.rotate({ next, replaced, until: at }, statuses)
    assertEquals(yield* replace(keyOf(stranger.id, at)), { _tag: "KeyMissing" })
    assertEquals(yield* replace(keyOf(merchant.id, at, "LIVE")), { _tag: "KeyMissing" })
    assertEquals(yield* replace(keyOf(merchant.id, at), revoked.id), { _tag: "KeyMissing" })
    assertEquals(yield* replace(keyOf(merchant.id, at), Fresh.apiKeyId(at)), { _tag: "KeyMissing" })
    assertEquals(yield* replace(keyOf(merchant.id, at), old.id, ["CLOSED"]), {
      _tag: "StatusForbids",
      status: "ACTIVE"
    })
    assertEquals([...(yield* store.list(merchant.id))], [...before], "nothing is stored")
    assertEquals([...(yield* store.list(stranger.id))], [])
  })
)

export const laws = [
  findsByHash,
  issuesOnlyWhileAllowed,
  checksStatusInCommit,
  revokesOnce,
  revokesOnlyOwn,
  listsNewestFirst,
  keepsOptions,
  rotatesWithOverlap,
  rotatesOnlyInForce
]

export const suite: (adapter: string, layer: Layer.Layer<ApiKeyStore | MerchantStore, unknown>) => void = suiteOf(
  "ApiKeyStore",
  laws
)
