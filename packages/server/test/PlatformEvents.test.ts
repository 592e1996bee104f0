import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { verify } from "@surety/verifier"
import { Effect, Redacted, Schedule } from "effect"
import { merchantWithConsumer, send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`

interface Told {
  readonly id: string
  readonly topic: string
  readonly merchantId: string
  readonly sequence: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A platform that records the events it accepts. While `state.away` is set, it returns 503 and only counts the
 * requests.
 */
const platform = Effect.gen(function* () {
  const told: Array<Told> = []
  const state = { away: false, refused: 0 }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (state.away) {
        state.refused += 1
        response.writeHead(503).end()
        return
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      told.push({
        id: headers["webhook-id"] ?? "",
        topic: headers["x-service-event"] ?? "",
        merchantId: headers["x-service-merchant"] ?? "",
        sequence: headers["x-service-sequence"] ?? "",
        body: Buffer.concat(chunks),
        headers
      })
      response.writeHead(200).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/events`, told, state }
})

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(isSo))))

const refunded = Effect.fnUntraced(function* (server: ServerProcess, shop: { key: string; serviceId: string }) {
  const made = yield* send(server, "POST", "/v1/test-helpers/payments", {
    bearer: shop.key,
    body: { service_id: shop.serviceId, amount: 100 }
  })
  for (const amount of [1, 2, 3]) {
    const answer = yield* send(server, "POST", "/v1/refunds", {
      bearer: shop.key,
      headers: { "idempotency-key": `refund-${made.body.transactionId}-${amount}` },
      body: { transaction_id: made.body.transactionId, amount }
    })
    assert.strictEqual(answer.status, 201)
  }
})

const wanted = ["merchant.created", "transaction.settled", ...Array<string>(3).fill("refund.completed")]

describe("the platform's events", () => {
  it.live(
    "are sent by the server that has the settings, in each merchant's order, also after it was killed",
    () =>
      Effect.gen(function* () {
        const receiver = yield* platform
        const { url } = yield* TestDatabase
        const env = {
          DATABASE_URL: Redacted.value(url),
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
          LOG_LEVEL: "warning",
          PLATFORM_EVENTS_URL: receiver.url,
          PLATFORM_EVENTS_SECRET: secret
        }
        const first = yield* serverProcess(env)
        const shop = yield* merchantWithConsumer(first)
        const topicsOf = (merchantId: string) => {
          const seen = new Map(receiver.told.filter((one) => one.merchantId === merchantId).map((one) => [one.id, one]))
          return [...seen.values()].map(({ topic }) => topic)
        }
        yield* refunded(first, shop)
        yield* until(() => topicsOf(shop.id).length === wanted.length)
        assert.deepStrictEqual(topicsOf(shop.id), wanted)
        for (const { body, headers } of receiver.told) {
          const verified = yield* Effect.promise(() => verify({ body, headers, secrets: secret }))
          assert.isTrue(verified.ok, JSON.stringify(verified))
        }

        receiver.state.away = true
        const other = yield* merchantWithConsumer(first)
        yield* refunded(first, other)
        yield* until(() => receiver.state.refused > 0)
        yield* Effect.promise(() => first.stop("SIGKILL"))
        receiver.state.away = false
        assert.deepStrictEqual(topicsOf(other.id), [], "none is confirmed")

        const second = yield* serverProcess(env)
        yield* until(() => topicsOf(other.id).length === wanted.length)
        assert.deepStrictEqual(topicsOf(other.id), wanted)
        const sequences = receiver.told.filter(({ merchantId }) => merchantId === other.id).map((one) => one.sequence)
        assert.deepStrictEqual(sequences, sequences.toSorted())
        // The confirmations are stored after the receiver has responded, so the backlog may not be empty yet.
        yield* Effect.repeat(
          Effect.promise(async () => (await fetch(`${second.url}/metrics`)).text()),
          {
            until: (metrics) => /^surety_platform_event_backlog 0$/m.test(metrics),
            schedule: Schedule.spaced("50 millis")
          }
        )
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    120_000
  )
})
