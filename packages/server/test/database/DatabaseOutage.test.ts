import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Fiber, Layer } from "effect"
import { type Answered, type Merchant, merchantWithConsumer, send } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { asking, listed, paid, type Request, refunding, request, tally, verifying } from "../support/Requests.js"
import { audit, environmentOf, sound } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const timeoutMillis = 300_000
const keysOfEach = 30
const clients = 8

/** Maximum response time in milliseconds. It is longer than the statement and connection timeouts. */
const answeredWithinMillis = 20_000

/** A server that reaches its database through `road`, a proxy that can be blocked or cut. `sql` bypasses the proxy. */
class Outage extends Context.Service<
  Outage,
  {
    readonly server: ServerProcess
    readonly road: DatabaseProxy.DatabaseProxy
    readonly sql: PgClient.PgClient
    readonly environment: Readonly<Record<string, string>>
  }
>()("test/Outage") {}

const layer = Layer.effect(
  Outage,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const road = yield* DatabaseProxy.make(url)
    const server = yield* serverProcess(environmentOf(road.url))
    const client = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
    return { server, road, sql: Context.get(client, PgClient.PgClient), environment: environmentOf(url) }
  })
).pipe(Layer.provide(MigratedDatabase.layer))

const work = (merchant: Merchant, transactionId: string): ReadonlyArray<Request> =>
  Array.from({ length: keysOfEach }, (_, index) => [
    refunding(merchant, transactionId, `key-${index}`, 1),
    verifying(merchant, `key-${index}`),
    asking(merchant, `key-${index}`)
  ]).flat()

interface Watched {
  readonly answers: Array<Answered>
  slowestMillis: number
}

const persist = Effect.fnUntraced(function* (server: ServerProcess, sent: Request, watched: Watched) {
  for (;;) {
    const startedAt = performance.now()
    const answer = yield* request(server, sent)
    watched.slowestMillis = Math.max(watched.slowestMillis, performance.now() - startedAt)
    watched.answers.push(answer)
    if (answer.status !== 503 && answer.status !== 409) return answer
    const seconds = Number(answer.headers.get("retry-after"))
    assert.isAtLeast(seconds, 1, answer.text)
    yield* Effect.sleep("200 millis")
  }
})

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(isSo))))

const paths = ["/v1/refunds", "/v1/kyc/verifications", "/v1/data-requests"]

/**
 * Applies load, and runs `trouble` once the response count reaches a third of the request count. Fails unless every
 * request ends with 201 and takes effect once, and every response arrives within `answeredWithinMillis`. Also fails if
 * the audit finds a fault.
 */
const underLoad = <E>(trouble: (watched: Watched, outage: Outage["Service"]) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const outage = yield* Outage
    const { environment, server } = outage
    const merchant = yield* merchantWithConsumer(server)
    const requests = work(merchant, yield* paid(server, merchant, 1000))
    const watched: Watched = { answers: [], slowestMillis: 0 }
    const loading = yield* Effect.forkChild(
      Effect.forEach(requests, (sent) => persist(server, sent, watched), { concurrency: clients })
    )
    yield* until(() => watched.answers.length >= requests.length / 3)
    yield* trouble(watched, outage)
    const last = yield* Fiber.join(loading)
    assert.deepStrictEqual(tally(last), { 201: requests.length })
    const kinds = new Set(Object.keys(tally(watched.answers)))
    for (const kind of kinds) {
      assert.include(["201", "503 service_unavailable", "409 idempotency_in_progress"], kind)
    }
    assert.isBelow(watched.slowestMillis, answeredWithinMillis)
    for (const path of paths) assert.lengthOf(yield* listed(server, merchant, path), keysOfEach, path)
    const again = yield* Effect.forEach(requests, (sent) => request(server, sent), { concurrency: clients })
    assert.deepStrictEqual(
      again.map(({ text }) => text),
      last.map(({ text }) => text)
    )
    assert.deepStrictEqual(yield* audit(environment), sound)
    return watched
  })

const refusedTimes = ({ answers }: Watched): number => answers.filter(({ status }) => status === 503).length

it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })("The database under load", (it) => {
  it.effect(
    "is gone, and comes back: 503 until then, and nothing twice",
    () =>
      Effect.gen(function* () {
        const watched = yield* underLoad((seen, { road, server }) =>
          Effect.gen(function* () {
            yield* road.set("cut")
            yield* until(() => refusedTimes(seen) >= clients)
            const ready = yield* send(server, "GET", "/readyz")
            assert.strictEqual(ready.status, 503)
            assert.isNotNull(ready.headers.get("retry-after"))
            assert.strictEqual((yield* send(server, "GET", "/healthz")).status, 200)
            yield* road.set("open")
          })
        )
        assert.isAtLeast(refusedTimes(watched), clients)
      }),
    timeoutMillis
  )

  it.effect(
    "answers nothing for a while: 503 until then, and nothing twice",
    () =>
      underLoad((seen, { road }) =>
        Effect.gen(function* () {
          yield* road.set("blocked")
          yield* until(() => refusedTimes(seen) >= 1)
          // Cuts the connections, which are unusable because the blocked proxy dropped their bytes.
          yield* road.set("cut")
          yield* road.set("open")
        })
      ),
    timeoutMillis
  )

  it.effect(
    "ends every connection, again and again",
    () =>
      underLoad((seen, { sql }) =>
        Effect.gen(function* () {
          for (let round = 0; round < 10; round += 1) {
            yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()`
            const count = seen.answers.length
            yield* until(() => seen.answers.length > count)
          }
        })
      ),
    timeoutMillis
  )
})
