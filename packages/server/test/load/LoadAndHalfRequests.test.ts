import { readdirSync } from "node:fs"
import { Agent, request as ask } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import { type Merchant, merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { paid, refunding, request } from "../support/Requests.js"
import { environmentOf } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess, withDocs } from "../support/ServerProcess.js"

const timeoutMillis = 400_000
const halfRequests = 100
const warmUp = 4_200
const requests = 6_000
const clients = 32

/** Memory in MiB that the load may add to a warm server. A leak of 1 KiB per request would add 6. */
const mebibytesMore = 4

/** Setting that preloads a module into the server with `--import`. The module reports retained memory on a signal. */
const asked = { NODE_OPTIONS: `--import=${new URL("../support/keptMemory.mjs", import.meta.url).href}` }

/** Returns the server's retained memory after garbage collection, in MiB. */
const keptMebibytes = (server: ServerProcess): Effect.Effect<number> =>
  Effect.gen(function* () {
    const answers = () => Array.from(server.stderr().matchAll(/^kept (\d+)$/gm), ([, bytes]) => Number(bytes))
    const before = answers().length
    process.kill(server.pid, "SIGUSR2")
    yield* until(() => answers().length > before)
    return (answers().at(-1) ?? Number.NaN) / 2 ** 20
  })

const descriptors = ({ pid }: ServerProcess): number => readdirSync(`/proc/${pid}/fd`).length

/** Opens connections that each send `text`, the beginning of a request, and then nothing more. */
const halfOpen = (server: ServerProcess, text: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(server.url)
      const told: Array<string> = []
      const closed: Array<Promise<void>> = []
      const sockets: Array<Socket> = []
      for (let index = 0; index < halfRequests; index += 1) {
        const socket = connect(Number(port), hostname)
        sockets.push(socket)
        told.push("")
        socket.setEncoding("utf8").on("data", (chunk) => {
          told[index] = `${told[index]}${chunk}`
        })
        socket.on("error", () => {})
        closed.push(new Promise((resolve) => socket.once("close", () => resolve())))
        await new Promise((resolve) => socket.once("connect", resolve))
        socket.write(text)
      }
      return { told, closed, sockets }
    }),
    ({ sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
  )

/** Builds a merchant's requests, each with its expected status. */
const kinds = ({ key, serviceId }: Merchant, transactionId: string) => {
  const authorization = `Bearer ${key}`
  const json = { authorization, "content-type": "application/json", "idempotency-key": "load" }
  return [
    { method: "GET", path: "/v1/whoami", headers: { authorization }, body: "", status: 200 },
    { method: "GET", path: "/v1/whoami", headers: { authorization: `${authorization}x` }, body: "", status: 401 },
    { method: "GET", path: "/v1/nowhere", headers: { authorization }, body: "", status: 404 },
    { method: "POST", path: "/v1/refunds", headers: json, body: "{", status: 400 },
    {
      method: "POST",
      path: "/v1/refunds",
      headers: json,
      body: JSON.stringify({ transaction_id: transactionId, amount: 1 }),
      status: 201
    },
    { method: "GET", path: `/v1/identity?service_id=${serviceId}`, headers: { authorization }, body: "", status: 403 }
  ] as const
}

type Kind = ReturnType<typeof kinds>[number]

/**
 * Retries on 503 for up to `tries` attempts, since the database may time out on a busy machine. Rejects unless the last
 * status is the expected one.
 */
const sendOne = (url: string, agent: Agent, kind: Kind, tries = 10): Promise<void> =>
  new Promise((resolve, reject) => {
    const { body, headers, method, path, status } = kind
    const sent = ask(`${url}${path}`, { method, headers, agent }, (response) => {
      response.resume()
      response.once("end", () => {
        if (response.statusCode === status) resolve()
        else if (response.statusCode === 503 && tries > 1) sendOne(url, agent, kind, tries - 1).then(resolve, reject)
        else reject(new Error(`${method} ${path}: ${response.statusCode}`))
      })
    })
    sent.once("error", reject)
    sent.end(body)
  })

const sendAll = ({ url }: ServerProcess, all: ReadonlyArray<Kind>, count: number) =>
  Effect.promise(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: clients })
    let sent = 0
    const client = async (): Promise<void> => {
      while (sent < count) {
        const kind = all[sent % all.length]
        sent += 1
        if (kind !== undefined) await sendOne(url, agent, kind)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    agent.destroy()
  })

/** The server counts as idle if its descriptor count has not changed for this time. */
const restMillis = 500

/**
 * Waits until the server is idle and returns its descriptor count. The server closes a connection a moment after its
 * client does.
 */
const settledDescriptors = Effect.fnUntraced(function* (server: ServerProcess) {
  let open = descriptors(server)
  for (let since = performance.now(); performance.now() - since < restMillis; ) {
    yield* Effect.sleep("50 millis")
    if (descriptors(server) === open) continue
    open = descriptors(server)
    since = performance.now()
  }
  return open
})

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("50 millis"), until(isSo))))

describe("A server under load and half requests", () => {
  it.live(
    "answers every other caller, ends half requests, and keeps no memory or descriptors",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const server = yield* serverProcess({ ...environmentOf(url), ...asked, ...withDocs })
        const merchant = yield* merchantWithConsumer(server)
        const transactionId = yield* paid(server, merchant, 1000)
        yield* request(server, refunding(merchant, transactionId, "load", 1))
        const all = kinds(merchant, transactionId)
        yield* sendAll(server, all, warmUp)
        const rested = yield* settledDescriptors(server)
        const before = { mebibytes: yield* keptMebibytes(server), descriptors: rested }

        const halfHeaders = yield* halfOpen(server, "GET /v1/whoami HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        const post = "POST /v1/refunds HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        const authorized = `${post}Authorization: Bearer ${merchant.key}\r\nIdempotency-Key: half\r\n`
        const halfBodies = yield* halfOpen(server, `${authorized}Content-Length: 50\r\n\r\n{"amount`)
        // Waits until all half requests are open, since the server accepts a connection slightly after the client has
        // opened it.
        yield* until(() => descriptors(server) >= before.descriptors + 2 * halfRequests)

        yield* sendAll(server, all, requests)
        yield* Effect.promise(() => Promise.all(halfHeaders.closed))
        for (const told of halfHeaders.told) {
          assert.match(told, /^HTTP\/1\.1 408 /)
          assert.include(told, "application/problem+json")
        }
        for (const socket of halfBodies.sockets) socket.destroy()
        yield* until(() => descriptors(server) <= before.descriptors + 4)
        assert.isBelow(yield* keptMebibytes(server), before.mebibytes + mebibytesMore)
        assert.strictEqual(yield* Effect.promise(() => server.stop()), 0)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    timeoutMillis
  )
})
