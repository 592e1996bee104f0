import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import { type Answered, merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"
import { listed, paid, refunding, request } from "../support/Requests.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const atOnce = 40
const connections = 10 * atOnce

/** Maximum growth of the server's memory during a flood. */
const mostGrowthMebibytes = 192

const patience = 180_000

/** Builds a request with an incomplete body, which stays in flight until the remaining bytes arrive. */
const half = (token: string) =>
  `POST /merchants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
  "Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{ "

const whoami = (key: string) => `GET /v1/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  return socket
}

const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port)

const statusOf = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]).slice(9, 12)

const residentMebibytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

interface Flood {
  /** Ends the flood and returns the number of responses per status. */
  readonly stop: Effect.Effect<ReadonlyMap<string, number>>
}

/**
 * Opens `connections` sockets. Sends `text` on each, again after every response, until `stop` runs or the scope ends.
 */
const flooding = (server: ServerProcess, text: string) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Flood> => {
      const sockets = await Promise.all(Array.from({ length: connections }, () => opened(portOf(server))))
      const statuses = new Map<string, number>()
      let isOver = false
      const sending = Promise.all(
        sockets.map(async (socket) => {
          while (!isOver) {
            socket.write(text)
            const status = await statusOf(socket)
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
          }
          socket.destroy()
        })
      )
      // Prevents an unhandled rejection. A broken connection makes `stop` die instead.
      sending.catch(() => {})
      const stop = Effect.promise(() => {
        isOver = true
        return sending.then(() => statuses)
      })
      return { stop }
    }),
    ({ stop }) => Effect.ignoreCause(stop)
  )

const untilTaken = (send: Effect.Effect<Answered>): Effect.Effect<Answered> =>
  Effect.flatMap(send, (answer) => {
    if (answer.status !== 503) return Effect.succeed(answer)
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    return Effect.andThen(Effect.sleep("20 millis"), untilTaken(send))
  })

const scene = Effect.fnUntraced(function* (more: Readonly<Record<string, string>>) {
  const { url } = yield* TestDatabase
  return yield* serverProcess(
    production(url, { REQUESTS_AT_ONCE: String(atOnce), RATE_LIMIT_PROVISIONING: "0", PROVISIONING: "open", ...more })
  )
})

const isWell = ({ url }: ServerProcess) =>
  Effect.promise(async () => {
    for (const path of ["/healthz", "/readyz"]) assert.strictEqual((await fetch(url + path)).status, 200, path)
  })

/**
 * Checks that a flood does not block `/healthz` or `/readyz`. On a busy machine the database may be too slow, so
 * `/readyz` may also respond with `not_ready`.
 */
const isThere = ({ url }: ServerProcess) =>
  Effect.promise(async () => {
    assert.strictEqual((await fetch(`${url}/healthz`)).status, 200)
    const ready = await fetch(`${url}/readyz`)
    if (ready.status !== 200) assert.deepInclude(await ready.json(), { code: "not_ready", status: 503 })
  })

describe("Ten times as many requests as a server takes", () => {
  it.live(
    "are answered if they are in flight, the others at once with 503, and the server stays well",
    () =>
      Effect.gen(function* () {
        const server = yield* scene({})
        const port = portOf(server)
        yield* Effect.promise(async () => {
          const held = await Promise.all(Array.from({ length: atOnce }, () => opened(port)))
          for (const socket of held) socket.write(half(server.operatorToken))
          // Once the server rejects another request, it has received all the held ones.
          while ((await fetch(`${server.url}/v1/whoami`)).status !== 503);

          const flood = await Promise.all(Array.from({ length: connections }, () => opened(port)))
          const answers = flood.map(statusOf)
          for (const socket of flood) socket.write(whoami("none"))
          assert.deepStrictEqual(new Set(await Promise.all(answers)), new Set(["503"]))

          const refused = await fetch(`${server.url}/v1/whoami`)
          assert.strictEqual(refused.headers.get("retry-after"), "1")
          assert.deepInclude(await refused.json(), { code: "service_unavailable", status: 503 })
          await Effect.runPromise(isWell(server))
          const metrics = await fetch(`${server.url}/metrics`, {
            headers: { authorization: `Bearer ${server.operatorToken}` }
          })
          assert.match(await metrics.text(), /http_requests_turned_away_total\S* 4\d\d/)

          const ended = held.map(statusOf)
          for (const socket of held) socket.write("}")
          assert.deepStrictEqual(new Set(await Promise.all(ended)), new Set(["400"]))
          assert.strictEqual((await fetch(`${server.url}/v1/whoami`)).status, 401)
          for (const socket of [...held, ...flood]) socket.destroy()
        })
        assert.lengthOf(`${server.stdout()}${server.stderr()}`.match(/Requests refused: too many in flight/g) ?? [], 1)
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "keep no merchant within its limits from its answers, and take no memory that grows",
    () =>
      Effect.gen(function* () {
        const server = yield* scene({ RATE_LIMIT_OTHER: "50" })
        const [greedy, patient] = [yield* merchantWithConsumer(server), yield* merchantWithConsumer(server)]
        const payment = yield* paid(server, patient, 100)
        const before = residentMebibytes(server.pid)
        const flood = yield* flooding(server, whoami(greedy.key))
        for (let count = 0; count < 30; count += 1) {
          const refund = yield* untilTaken(request(server, refunding(patient, payment, `flood-${count}`, 1)))
          assert.strictEqual(refund.status, 201, refund.text)
          yield* isThere(server)
        }
        const statuses = yield* flood.stop
        const grown = residentMebibytes(server.pid) - before
        assert.includeMembers(["200", "429", "503"], [...statuses.keys()])
        const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0)
        assert.isAbove(answered, 10 * connections, "it was a flood")
        assert.isAbove(answered - (statuses.get("200") ?? 0), answered / 2, "of which most was refused")
        assert.isBelow(grown, mostGrowthMebibytes, `MiB after ${answered} answers`)
        yield* isWell(server)
        assert.lengthOf(yield* listed(server, patient, "/v1/refunds"), 30)
        const again = yield* request(server, refunding(patient, payment, "flood-0", 1))
        assert.strictEqual(again.status, 201, again.text)
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )
})
