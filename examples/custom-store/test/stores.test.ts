import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { createSurety, memoryStore, StoreNotOpened, unwrap } from "@surety/embed/effect"
import * as CodeChallengeStoreLaws from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as RateLimitStoreLaws from "@surety/testing/limit/RateLimitStoreLaws"
import { Context, Effect, Layer } from "effect"
import { afterAll } from "vitest"
import * as Database from "../src/Database.ts"
import * as SqliteCodeChallengeStore from "../src/SqliteCodeChallengeStore.ts"
import * as SqliteRateLimitStore from "../src/SqliteRateLimitStore.ts"
import { withSharedState } from "../src/withSharedState.ts"

const directory = mkdtempSync(join(tmpdir(), "custom-store-"))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, "surety.sqlite")
const secretsKey = Buffer.alloc(32, 7).toString("base64")

RateLimitStoreLaws.suite("sqlite", Layer.provide(SqliteRateLimitStore.layer, Database.layer(file)))
CodeChallengeStoreLaws.suite("sqlite", Layer.provide(SqliteCodeChallengeStore.layer, Database.layer(file)))

const limit = { name: "test", perSecond: 0.001, burst: 5 }
const demand = { needed: 1, wanted: 1 }

/** Opens the store on a new connection. */
const open = (patienceMillis?: number) =>
  Effect.map(
    Layer.build(Layer.provide(SqliteRateLimitStore.layer, Database.layer(file, patienceMillis))),
    Context.get(RateLimitStore)
  )

it.live("Two connections to one file share a bucket", () =>
  Effect.gen(function* () {
    const one = yield* open()
    const other = yield* open()
    const leases = yield* Effect.forEach([one, other, one, other, one, other], (store) =>
      store.lease(limit, "shared", demand)
    )
    assert.deepStrictEqual(
      leases.map(({ tokens }) => tokens),
      [1, 1, 1, 1, 1, 0]
    )
  })
)

it.live("A file that another process has locked is unavailable, and nothing is leased", () =>
  Effect.gen(function* () {
    const store = yield* open(20)
    const other = new DatabaseSync(file)
    other.exec("begin immediate")
    const error = yield* Effect.flip(store.lease(limit, "locked", demand))
    assert.deepInclude(error, { _tag: "StoreError", isRetryable: true })
    other.exec("rollback")
    other.close()
    assert.deepInclude(yield* store.lease(limit, "locked", demand), { tokens: 1 })
  })
)

it("Surety leases its rate limits from the file", async () => {
  const shared = join(directory, "shared.sqlite")
  const surety = await createSurety({ store: withSharedState(memoryStore(), shared), secretsKey })
  const profile = { name: "Ada Books", legalName: "Ada Books Ltd", contactName: "Ada", contactEmail: "a@books.example" }
  const { id: merchantId } = unwrap(
    await surety.merchants.create({ ...profile, country: "NG", businessType: "retail" })
  )
  const { secret } = unwrap(await surety.apiKeys.create({ merchantId, environment: "TEST" }))
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await surety.handler(new Request("http://localhost/v1/whoami", { headers }))
  assert.strictEqual(answer.status, 200)
  const reader = new DatabaseSync(shared, { readOnly: true })
  assert.deepInclude(reader.prepare("select name, key from rate_limit").all()[0], {
    name: "other",
    key: `${merchantId} TEST`
  })
  reader.close()
  await surety.close()
})

it("Surety does not start if the file cannot be opened", async () => {
  const store = withSharedState(memoryStore(), join(directory, "missing", "surety.sqlite"))
  const error = await createSurety({ store, secretsKey }).catch((reason: unknown) => reason)
  assert.instanceOf(error, StoreNotOpened)
})
