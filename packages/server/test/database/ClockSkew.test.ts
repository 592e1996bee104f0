import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { merchantWithConsumer, send } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { all } from "../support/Requests.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const timeoutMillis = 180_000
const skewMillis = 60_000
const count = 40

/** Node option that shifts the process's `Date.now` by `byMillis` before any other code runs. */
const shifted = (byMillis: number): string => {
  const module = `const now = Date.now; Date.now = () => now.call(Date) + ${byMillis}`
  return `--import data:text/javascript,${encodeURIComponent(module)}`
}

/** Receiver that responds after 2 s, so the servers' attempts overlap. It records the event id of every request. */
const slowReceiver = Effect.gen(function* () {
  const arrivals: Array<string> = []
  const server = createServer((request, response) => {
    arrivals.push(String(request.headers["x-service-event-id"]))
    request.resume()
    setTimeout(() => response.writeHead(204).end(), 2_000)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, arrivals }
})

const metric = (text: string, name: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      ?.split(" ")
      .at(-1)
  )

const skewOf = (server: ServerProcess) =>
  Effect.map(
    Effect.promise(async () => (await fetch(`${server.url}/metrics`)).text()),
    (text) => metric(text, "surety_database_clock_skew_seconds")
  )

it.live(
  "two senders whose clocks are two minutes apart send nothing twice, and each says how far its clock is off",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const environmentOf = (byMillis: number) => ({
        DATABASE_URL: Redacted.value(url),
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        LOG_LEVEL: "warning",
        RATE_LIMIT_OTHER: "0",
        NODE_OPTIONS: shifted(byMillis)
      })
      const ahead = yield* serverProcess(environmentOf(skewMillis))
      const behind = yield* serverProcess(environmentOf(-skewMillis))
      const merchant = yield* merchantWithConsumer(ahead)
      const shop = yield* slowReceiver
      const endpoint = yield* send(ahead, "POST", `/merchants/${merchant.id}/webhooks`, { body: { url: shop.url } })
      const tests = yield* all(
        Array.from({ length: count }, (_, index) =>
          send(index % 2 === 0 ? ahead : behind, "POST", `/merchants/${merchant.id}/webhooks/${endpoint.body.id}/test`)
        )
      )
      const sent = tests.map(({ body }) => body.id)
      assert.strictEqual(new Set(sent).size, count)
      yield* Effect.sleep("8 seconds")
      assert.sameMembers(shop.arrivals, sent)

      // Each event's time is roughly correct, although its server's clock is off by 60 s.
      const [first, second] = [
        yield* send(ahead, "GET", `/v1/events/${sent[1]}`, { bearer: merchant.key }),
        yield* send(behind, "GET", `/v1/events/${sent[0]}`, { bearer: merchant.key })
      ]
      for (const { body } of [first, second]) {
        assert.isBelow(Math.abs(Date.now() - Date.parse(body.occurredAt)), 30_000)
      }
      assert.closeTo(yield* skewOf(ahead), skewMillis / 1000, 2)
      assert.closeTo(yield* skewOf(behind), -skewMillis / 1000, 2)
      assert.match(ahead.stderr() + ahead.stdout(), /Clock of this machine is (59|60)\.\d s ahead of the database's/)
      assert.match(behind.stderr() + behind.stdout(), /Clock of this machine is (59|60)\.\d s behind the database's/)
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  timeoutMillis
)
