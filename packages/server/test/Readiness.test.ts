import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { connected } from "./support/connected.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { production } from "./support/Production.js"
import { serverProcess } from "./support/ServerProcess.js"

it.live(
  "/readyz answers at once while every connection of the pool waits for a lock",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const server = yield* serverProcess(production(url, { DATABASE_CONNECTIONS: "3", METRICS: "off" }))
      const locker = yield* connected(Redacted.value(url))
      const answered = yield* Effect.promise(async () => {
        const headers = { authorization: `Bearer ${server.operatorToken}` }
        const list = () => fetch(`${server.url}/operator/merchants`, { headers })
        const before = (await list()).status
        await locker.query("begin")
        await locker.query("lock table surety.merchant in access exclusive mode")
        const waiting = Array.from({ length: 12 }, list)
        await new Promise((resolve) => setTimeout(resolve, 500))
        const startedAt = performance.now()
        const statuses = [
          (await fetch(`${server.url}/readyz`)).status,
          (await fetch(`${server.url}/readyz`)).status,
          (await fetch(`${server.url}/healthz`)).status
        ]
        const tookMillis = performance.now() - startedAt
        await locker.query("rollback")
        await Promise.all(waiting)
        return { before, statuses, isQuick: tookMillis < 3_000 }
      })
      assert.deepStrictEqual(answered, { before: 200, statuses: [200, 200, 200], isQuick: true })
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  120_000
)
