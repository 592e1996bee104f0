import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Schedule } from "effect"
import { send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { application, production } from "./support/Production.js"
import { exchangeBytes } from "./support/RawConnection.js"
import { type ServerProcess, serverProcess, withDocs } from "./support/ServerProcess.js"

const patience = 120_000

const running = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const limits = {
    ...withDocs,
    RATE_LIMIT_OTHER: "2",
    RATE_LIMIT_PROVISIONING: "0"
  }
  return yield* serverProcess(production(url, limits))
})

const newKey = Effect.fnUntraced(function* (server: ServerProcess) {
  const operator = { bearer: server.operatorToken }
  const { body: merchant } = yield* send(server, "POST", "/merchants", { ...operator, body: application })
  const wanted = { ...operator, body: { environment: "TEST" } }
  const { body: issued } = yield* send(server, "POST", `/merchants/${merchant.id}/api-keys`, wanted)
  return { merchantId: merchant.id as string, key: issued.secret as string }
})

const scrape = ({ operatorToken, url }: ServerProcess) =>
  Effect.promise(async () =>
    (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })).text()
  )

/** Parses request counts from metrics, keyed by `method route status`. */
const countsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/^surety_http_requests_total\{(.+)\} (\d+)$/gm), ([, labels = "", count]) => {
      const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1]
      return [`${label("method")} ${label("route")} ${label("status")}`, Number(count)]
    })
  )

const counts = (server: ServerProcess) => Effect.map(scrape(server), countsOf)

/** Returns the methods and routes of all series, without the status, since an exceeded limit may add a status. */
const methodsAndRoutes = (text: string): ReadonlyArray<string> => [
  ...new Set(Object.keys(countsOf(text)).map((series) => series.replace(/ \d+$/, "")))
]

/** Sends part of a body, then disconnects. */
const leave = ({ operatorToken, url }: ServerProcess) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const { hostname, port } = new URL(url)
        const socket = connect({ host: hostname, port: Number(port) })
        const head = [
          "POST /merchants HTTP/1.1",
          "Host: surety.example",
          `Authorization: Bearer ${operatorToken}`,
          "Content-Type: application/json",
          "Content-Length: 100",
          "Expect: 100-continue"
        ]
        socket.once("data", () => socket.end(`{"name":`, () => socket.destroy()))
        socket.once("close", () => resolve())
        socket.write(`${head.join("\r\n")}\r\n\r\n`)
      })
  )

describe("GET /metrics", () => {
  it.live(
    "counts every request that the server answers, by method, route and status, and measures it",
    () =>
      Effect.gen(function* () {
        const server = yield* running
        const { key, merchantId } = yield* newKey(server)
        const whoami = () => send(server, "GET", "/v1/whoami", { bearer: key })
        const statuses = yield* Effect.all([whoami(), whoami(), whoami(), whoami(), whoami(), whoami(), whoami()])
        const limited = statuses.filter(({ status }) => status === 429).length
        assert.isAbove(limited, 0)
        yield* send(server, "GET", "/v1/whoami", { bearer: `${key}x` })
        yield* send(server, "GET", "/operator/merchants")
        yield* send(server, "GET", "/nowhere")
        yield* send(server, "DELETE", "/healthz")
        yield* send(server, "POST", "/merchants", {
          bearer: server.operatorToken,
          body: { ...application, name: "x".repeat(300_000) }
        })
        yield* Effect.promise(() => fetch(`${server.url}/consent/${randomBytes(32).toString("base64url")}`))
        yield* Effect.promise(() => exchangeBytes(server.url, "\u0000\u0001\r\n\r\n"))
        yield* Effect.promise(() => exchangeBytes(server.url, `GET / HTTP/1.1\r\nx: ${"a".repeat(20_000)}\r\n\r\n`))
        yield* scrape(server)
        const text = yield* scrape(server)
        assert.deepStrictEqual(countsOf(text), {
          "POST /merchants 201": 1,
          "POST /merchants/:merchantId/api-keys 201": 1,
          "GET /v1/whoami 200": statuses.length - limited,
          "GET /v1/whoami 429": limited,
          "GET /v1/whoami 401": 1,
          "GET /operator/merchants 401": 1,
          "GET unmatched 404": 1,
          "DELETE unmatched 405": 1,
          "POST /merchants 413": 1,
          "GET /consent/:token 404": 1,
          "_OTHER unmatched 400": 1,
          "_OTHER unmatched 431": 1,
          "GET /metrics 200": 1
        })
        assert.notInclude(text, merchantId)
        const measured = (labels: string) =>
          Number(new RegExp(`^surety_http_request_duration_seconds_${labels} (\\S+)$`, "m").exec(text)?.[1])
        const created = 'method="POST",route="/merchants",status_class="2xx"'
        assert.strictEqual(measured(`bucket\\{${created},le="30"\\}`), 1)
        assert.strictEqual(measured(`bucket\\{${created},le="\\+Inf"\\}`), 1)
        assert.strictEqual(measured(`count\\{${created}\\}`), 1)
        assert.isAbove(measured(`sum\\{${created}\\}`), 0)
        assert.isBelow(measured(`sum\\{${created}\\}`), 30)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    patience
  )

  it.live(
    "counts a request whose client disconnected as 499",
    () =>
      Effect.gen(function* () {
        const server = yield* running
        yield* leave(server)
        const counted = yield* counts(server).pipe(
          Effect.repeat({
            schedule: Schedule.spaced("50 millis"),
            until: (counted) => Object.keys(counted).some((series) => series.startsWith("POST /merchants "))
          })
        )
        const { "GET /metrics 200": _, ...others } = counted
        assert.deepStrictEqual(others, { "POST /merchants 499": 1 })
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    patience
  )

  it.live(
    "has no series of a caller's making: no path, token, id or method of theirs",
    () =>
      Effect.gen(function* () {
        const server = yield* running
        const { key } = yield* newKey(server)
        const spray = (salt: string) =>
          Effect.promise(async () => {
            for (const path of [
              `/${salt}`,
              `/consent/${salt}`,
              `/consents/${salt}/receipts/${key}`,
              `/CONSENT/${salt}`,
              `/consent-page/${salt}`,
              `/v1/refunds/${salt}?${salt}=1`,
              `/operator/merchants/${salt}`,
              `//${salt}`,
              `/healthz/${salt}`,
              `/metrics/${salt}`,
              `/docs/${salt}`,
              `/v1/%22%7d%0a${salt}`,
              `http://${salt}.example/v1/whoami`
            ]) {
              for (const method of ["GET", "POST", "PROPFIND", "M-SEARCH"]) {
                const head = `${method} ${path} HTTP/1.1\r\nHost: ${salt}.example\r\nAuthorization: Bearer ${key}\r\n`
                await exchangeBytes(server.url, `${head}Content-Length: 0\r\nConnection: close\r\n\r\n`)
              }
            }
          })
        yield* spray("zq1")
        yield* scrape(server)
        const before = methodsAndRoutes(yield* scrape(server))
        yield* spray("zq2")
        yield* spray("zq3")
        const text = yield* scrape(server)
        assert.isAbove(before.length, 12)
        assert.sameMembers([...methodsAndRoutes(text)], [...before])
        for (const needle of ["zq", key, server.operatorToken, "PROPFIND", "CONSENT"]) assert.notInclude(text, needle)
        assert.include(before, "_OTHER /consent/:token")
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    patience
  )
})
