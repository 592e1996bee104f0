import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Fiber } from "effect"
import { liveMerchant } from "../support/LiveMerchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { platformProcess } from "../support/PlatformProcess.js"
import { listed, refunding, requestOrLose } from "../support/Requests.js"
import { audit, environmentOf, sound } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const timeoutMillis = 300_000
const refunds = 160
const clients = 16

/** Two servers and the platform that their wallet hook calls. Each can be killed and restarted. */
const scene = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const platform = yield* platformProcess
  const environment = { ...environmentOf(url), ...platform.settings }
  const servers: [ServerProcess, ServerProcess] = [yield* serverProcess(environment), yield* serverProcess(environment)]
  const killServer = Effect.fnUntraced(function* (index: 0 | 1) {
    yield* Effect.promise(() => servers[index].stop("SIGKILL"))
    servers[index] = yield* serverProcess(environment)
  })
  const killPlatform = Effect.promise(async () => {
    await platform.kill()
    await platform.start()
  })
  return { environment, platform, servers, killServer, killPlatform }
})

it.live(
  `${refunds} refunds under kills of both sides: the platform credits exactly those that are completed, each once`,
  () =>
    Effect.gen(function* () {
      const { environment, killPlatform, killServer, platform, servers } = yield* scene
      const merchant = yield* liveMerchant(servers[0], "customer-1")
      const transactionId = yield* merchant.pay(refunds)
      let completed = 0

      /** Retries a refund with the same key until it succeeds, as a merchant would. */
      const persist = Effect.fnUntraced(function* (index: number) {
        const sent = refunding(merchant, transactionId, `refund-${index}`, 1)
        for (let attempt = index; ; attempt += 1) {
          const answer = yield* requestOrLose(servers[attempt % 2] ?? servers[0], sent)
          if (answer?.status === 201) break
          if (answer !== undefined) {
            assert.include(["wallet_unavailable", "idempotency_in_progress", "service_unavailable"], answer.body.code)
          }
          yield* Effect.sleep("500 millis")
        }
        completed += 1
      })
      const merchantsWork = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: refunds }, (_, index) => index),
          persist,
          { concurrency: clients, discard: true }
        )
      )

      const after = (count: number): Effect.Effect<void> =>
        Effect.suspend(() =>
          completed >= count ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), after(count))
        )
      const kills = [
        killPlatform,
        killServer(0),
        killPlatform,
        killServer(1),
        Effect.all([killPlatform, killServer(0)])
      ]
      for (const [index, kill] of kills.entries()) {
        yield* after(((index + 1) * refunds) / (kills.length + 2))
        yield* kill
      }
      yield* Fiber.join(merchantsWork)

      const records = yield* listed(servers[0], { ...merchant }, "/v1/refunds")
      assert.lengthOf(records, refunds)
      assert.deepStrictEqual(new Set(records.map(({ status }) => status)), new Set(["COMPLETED"]))
      const credits = platform.credits()
      assert.deepStrictEqual(
        new Set(credits.map(({ minor, outcome }) => `${outcome} ${minor}`)),
        new Set(["CREDITED 100"])
      )
      assert.deepStrictEqual(
        credits.map(({ refundId }) => refundId).sort(),
        records.map(({ refundId }) => refundId).sort()
      )
      assert.deepStrictEqual(yield* audit(environment), sound)
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  timeoutMillis
)
