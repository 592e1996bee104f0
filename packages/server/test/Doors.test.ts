import { Agent, request as httpRequest, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { spellingsOf } from "@surety/testing/hostile/spellings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { production } from "./support/Production.js"
import { exchangeBytes, statusOf } from "./support/RawConnection.js"
import { type ServerProcess, serverProcess, withDocs } from "./support/ServerProcess.js"

const running = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return yield* serverProcess(
    production(url, { ...withDocs, RATE_LIMIT_OTHER: "0", RATE_LIMIT_PROVISIONING: "0", METRICS: "open" })
  )
})

interface Document {
  readonly paths: Readonly<Record<string, object>>
}

const pages = ["/consent/:token", "/consent/:token/code", "/consents/:token", "/consents/:token/code"]
const morePages = [
  "/consents/:token/reads",
  "/consents/:token/rights",
  "/consents/:token/receipts",
  "/consents/:token/receipts/:id",
  "/consent-page/:file"
]
const others = ["/docs", "/docs/errors", "/openapi.json", "/healthz", "/readyz", "/metrics"]

const routesOf = ({ paths }: Document) => [
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/gu, "x_1") }))
  ),
  ...[...pages, ...morePages, ...others].map((path) => ({ method: "GET", path: path.replace(/:\w+/gu, "x_1") }))
]

const agent = new Agent({ keepAlive: true, maxSockets: 4 })

/** Sends a request with its path unchanged, unlike `fetch`, which would normalise it. */
const send = ({ operatorToken, url }: ServerProcess, method: string, path: string) =>
  new Promise<{ readonly response: IncomingMessage; readonly text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const headers = { authorization: `Bearer ${operatorToken}` }
    const sending = httpRequest({ agent, host: hostname, port, method, path, headers }, (response) => {
      text(response).then((read) => resolve({ response, text: read }), reject)
    })
    sending.on("error", reject)
    sending.end()
  })

const host = "Host: surety.example\r\n"

const raw: ReadonlyArray<readonly [what: string, bytes: string, status: number, code: string | undefined]> = [
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", 400, "malformed_request"],
  ["no Host, to a merchant's route", "GET /v1/whoami HTTP/1.1\r\n\r\n", 400, "malformed_request"],
  ["two Hosts", `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`, 400, "malformed_request"],
  ["two Hosts that differ", `GET /v1/whoami HTTP/1.1\r\n${host}hOST: evil.example\r\n\r\n`, 400, "malformed_request"],
  ["two Hosts in HTTP/1.0", `GET /healthz HTTP/1.0\r\n${host}${host}\r\n`, 400, "malformed_request"],
  [
    "two credentials",
    `GET /v1/whoami HTTP/1.1\r\n${host}Authorization: Bearer one\r\nAUTHORIZATION: Bearer two\r\n\r\n`,
    400,
    "malformed_request"
  ],
  ["no Host in HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200, undefined],
  ["a whole url", `GET http://surety.example/v1/whoami HTTP/1.1\r\n${host}\r\n`, 401, "missing_api_key"],
  ["a whole url, encoded", `GET http://surety.example/v1/%77hoami HTTP/1.1\r\n${host}\r\n`, 404, "route_not_found"],
  ["an asterisk", `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404, "route_not_found"],
  ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", 400, "malformed_request"],
  ["an unknown method", `NONSENSE / HTTP/1.1\r\n${host}\r\n`, 400, "malformed_request"],
  ["too many headers", `GET / HTTP/1.1\r\n${host}x: ${"a".repeat(20_000)}\r\n\r\n`, 431, "headers_too_large"]
]

describe("The server's doors", () => {
  it.live(
    "have one spelling a route, refuse a Host that is missing or doubled and a doubled credential, and say nosniff on every answer",
    () =>
      Effect.gen(function* () {
        const server = yield* running
        yield* Effect.promise(async () => {
          const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
          const routes = routesOf(document)
          assert.isAbove(routes.length, 60)

          for (const { method, path } of routes) {
            // A path without a leading slash is not a valid request target, and Node's parser rejects it.
            for (const spelling of spellingsOf(path).filter((it) => it.startsWith("/"))) {
              const { response, text } = await send(server, method, spelling)
              const at = `${method} ${spelling} ${text.slice(0, 200)}`
              assert.strictEqual(response.statusCode, 404, at)
              assert.include(text, '"code":"route_not_found"', at)
            }
          }

          for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]) {
            for (const path of [...routes.map((route) => route.path), "/", "/nowhere", `/${"a".repeat(5_000)}`]) {
              const { response } = await send(server, method, path)
              assert.strictEqual(response.headers["x-content-type-options"], "nosniff", `${method} ${path}`)
              if (response.statusCode === 429) assert.isDefined(response.headers["retry-after"], `${method} ${path}`)
            }
          }

          for (const [what, bytes, status, code] of raw) {
            const answer = await exchangeBytes(server.url, bytes, {
              until: (read) => read.includes("\r\n\r\n") && (read.endsWith("}") || status === 200),
              endsWrite: true
            })
            assert.strictEqual(statusOf(answer), status, `${what}: ${answer.text}`)
            assert.match(answer.text, /\r\nx-content-type-options: nosniff\r\n/iu, what)
            if (code === undefined) continue
            assert.include(answer.text, `"code":"${code}"`, what)
            assert.match(answer.text, /\r\ncontent-type: application\/problem\+json\r\n/iu, what)
          }
          agent.destroy()
        })
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    400_000
  )
})
