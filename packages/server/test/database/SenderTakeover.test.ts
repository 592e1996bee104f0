import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { applicant } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

interface Arrival {
  readonly eventId: string
  readonly atMillis: number
  readonly answer: () => void
  /** Returns true while the sender still waits for the response. */
  readonly isOpen: () => boolean
}

/** A merchant's server that responds to a delivery only when the test calls that delivery's `answer`. */
const heldReceiver = Effect.gen(function* () {
  const arrivals: Array<Arrival> = []
  const server = createServer((request, response: ServerResponse) => {
    request.resume()
    request.on("end", () =>
      arrivals.push({
        eventId: String(request.headers["x-service-event-id"]),
        atMillis: performance.now(),
        answer: () => response.writeHead(204).end(),
        isOpen: () => !response.destroyed && !request.socket.destroyed
      })
    )
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  const { port } = server.address() as AddressInfo
  const until = (isSo: () => boolean, withinMillis: number): Effect.Effect<void> =>
    Effect.promise(async () => {
      const deadline = performance.now() + withinMillis
      while (!isSo()) {
        if (performance.now() > deadline) throw new Error(`not within ${withinMillis} ms: ${arrivals.length} arrived`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
  return { url: `http://127.0.0.1:${port}/`, arrivals, until }
})

const call = (url: string, method: string, body?: unknown, bearer?: string) =>
  Effect.promise(async () => {
    const headers = {
      "content-type": "application/json",
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url, { method, headers, ...sent })
    return JSON.parse(await response.text())
  })

/**
 * Creates a merchant with an endpoint at `url`. Returns functions that send a test event and list an event's
 * deliveries.
 */
const merchantWith = Effect.fnUntraced(function* (server: ServerProcess, url: string) {
  const { id } = yield* call(`${server.url}/merchants`, "POST", applicant)
  const key = yield* call(`${server.url}/merchants/${id}/api-keys`, "POST", { environment: "TEST" })
  const endpoint = yield* call(`${server.url}/merchants/${id}/webhooks`, "POST", { url })
  const test = (by: ServerProcess) => call(`${by.url}/merchants/${id}/webhooks/${endpoint.id}/test`, "POST")
  const deliveriesOf = (by: ServerProcess, eventId: string) =>
    Effect.map(call(`${by.url}/v1/events/${eventId}/deliveries`, "GET", undefined, key.secret), ({ data }) => data)
  return { test, deliveriesOf }
})

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "warning"
})

const count = 6

/** Time limit for deliveries to arrive. It is generous, since a busy machine may delay them. */
const patienceMillis = 60_000

describe("A sender that ends with attempts in flight", () => {
  it.live(
    "by kill -9 has each taken over by another within 30 s, and no attempt is with two at once",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* heldReceiver
        const killed = yield* serverProcess(environmentOf(url))
        const other = yield* serverProcess(environmentOf(url))
        const { deliveriesOf, test } = yield* merchantWith(killed, shop.url)
        // Suspends the other server until `killed` is attempting every delivery. Starting the other server only then
        // could take longer than the attempts last.
        process.kill(other.pid, "SIGSTOP")
        const events: Array<string> = []
        for (let made = 0; made < count; made++) events.push((yield* test(killed)).id)
        yield* shop.until(() => shop.arrivals.length === count, patienceMillis)
        process.kill(other.pid, "SIGCONT")
        yield* Effect.sleep("2 seconds")
        assert.lengthOf(shop.arrivals, count, "another process leaves alone what is with a sender")
        const firsts = [...shop.arrivals]
        const killedAt = performance.now()
        yield* Effect.promise(() => killed.stop("SIGKILL"))
        yield* shop.until(() => shop.arrivals.length === 2 * count, patienceMillis)
        const again = shop.arrivals.slice(count)
        for (const { atMillis } of again) assert.isBelow(atMillis - killedAt, 30_000)
        assert.sameMembers(
          again.map(({ eventId }) => eventId),
          events
        )
        assert.isFalse(
          firsts.some(({ isOpen }) => isOpen()),
          "the killed one's attempts are over"
        )
        for (const { answer } of again) answer()
        for (const eventId of events) {
          const delivered = () =>
            Effect.map(deliveriesOf(other, eventId), ([delivery]) => delivery.status === "DELIVERED" && delivery)
          const delivery = yield* Effect.repeat(Effect.delay(Effect.suspend(delivered), "50 millis"), {
            until: Boolean,
            times: 1_000
          })
          assert.lengthOf(delivery.attempts, 1, "the attempt that was cut off left no record")
        }
        assert.lengthOf(shop.arrivals, 2 * count)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    180_000
  )

  it.live(
    "by SIGTERM finishes and records them, begins nothing more, and exits 0",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* heldReceiver
        const stopped = yield* serverProcess(environmentOf(url))
        const { deliveriesOf, test } = yield* merchantWith(stopped, shop.url)
        const first = yield* test(stopped)
        yield* shop.until(() => shop.arrivals.length === 1, patienceMillis)
        const ended = stopped.stop("SIGTERM")
        yield* Effect.sleep("500 millis")
        shop.arrivals[0]?.answer()
        assert.strictEqual(yield* Effect.promise(() => ended), 0)
        const other = yield* serverProcess(environmentOf(url))
        const [delivery] = yield* deliveriesOf(other, first.id)
        assert.strictEqual(delivery.status, "DELIVERED")
        assert.lengthOf(delivery.attempts, 1)
        assert.lengthOf(shop.arrivals, 1)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    180_000
  )
})
