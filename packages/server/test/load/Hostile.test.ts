import { Agent, request as httpRequest, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type HostileRequest, hostileRequests } from "@surety/testing/hostile/HostileRequests"
import { harmIn } from "@surety/testing/hostile/harm"
import { inputsOf, type OpenApiDocument } from "@surety/testing/hostile/OpenApiInputs"
import { makePathValues, type Owner } from "@surety/testing/hostile/pathValues"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { application, production } from "../support/Production.js"
import { exchangeBytes, statusOf } from "../support/RawConnection.js"
import { type ServerProcess, serverProcess, withDocs } from "../support/ServerProcess.js"

const patience = 400_000

const serving = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
  const { url } = yield* TestDatabase
  const limits = {
    ...more,
    RATE_LIMIT_REFUNDS: "0",
    RATE_LIMIT_OTHER: "0",
    RATE_LIMIT_PROVISIONING: "0"
  }
  return yield* serverProcess(production(url, limits))
})

let keys = 0

const makeOwner = async ({ operatorToken, url }: ServerProcess): Promise<Owner> => {
  const send: Owner["send"] = async (method, path, bearer, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        "content-type": "application/json",
        "idempotency-key": `owner-${++keys}`
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return response.json()
  }
  const merchant = (await send("POST", "/merchants", operatorToken, application)) as { readonly id: string }
  const path = `/merchants/${merchant.id}/api-keys`
  const issued = (await send("POST", path, operatorToken, { environment: "TEST" })) as { readonly secret: string }
  return { merchantId: merchant.id, key: issued.secret, operatorToken, send }
}

const withinMillis = 10_000

/** Sends a request with its url unchanged, unlike `fetch`, which would normalise it. */
const sendRaw = (server: ServerProcess, agent: Agent, { body, headers, method, path }: HostileRequest) =>
  new Promise<{ readonly status: number; readonly text: string; readonly type: string }>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const length = body === undefined ? {} : { "content-length": String(body.length) }
    const read = (response: IncomingMessage) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("error", reject)
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, type: response.headers["content-type"] ?? "" })
      )
    }
    const sending = httpRequest(
      { agent, host: hostname, port, method, path, headers: { ...headers, ...length }, timeout: withinMillis },
      read
    )
    sending.on("timeout", () => sending.destroy(new Error(`no answer within ${withinMillis} ms`)))
    sending.on("error", reject)
    sending.end(body)
  })

const answersStill = async (server: ServerProcess, { key }: Owner): Promise<void> => {
  const answer = await fetch(`${server.url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })
  assert.strictEqual(answer.status, 200)
  await answer.arrayBuffer()
}

/**
 * True if the request corrupts an input that the operation declares: a body field, a path or query parameter, or a
 * header. Other requests are hostile to any operation.
 */
const spoilsAValue = ({ name }: HostileRequest, { headers }: { readonly headers: ReadonlyArray<string> }): boolean =>
  /^(?:#\/|\{|\?)/.test(name) || headers.some((header) => name.startsWith(`${header.toLowerCase()}: `))

/** Extracts the corrupted field, parameter or header from the prefix of a request's name. */
const inputOf = ({ name }: HostileRequest): string => /^(?:#\S+|\{\w+\}|\?\w+|[\w-]+:)/.exec(name)?.[0] ?? name

/**
 * Builds a sampler of requests. The first operation with an input gets all of the input's requests. Each further
 * operation gets every fourth request, at an offset one higher than the preceding operation's. That suffices, since
 * most inputs of the same name share a schema, and tests over in-memory stores send all requests.
 */
const makeSample = () => {
  const operations = new Map<string, number>()
  return (requests: ReadonlyArray<HostileRequest>): ReadonlyArray<HostileRequest> =>
    [...Map.groupBy(requests, inputOf)].flatMap(([input, ofInput]) => {
      const earlier = operations.get(input) ?? 0
      operations.set(input, earlier + 1)
      return earlier === 0 ? ofInput : ofInput.filter((_, index) => index % 4 === earlier % 4)
    })
}

const harmsOf = async (server: ServerProcess, document: OpenApiDocument) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const harms: Array<string> = []
  let count = 0
  const judge = async (request: HostileRequest, documented: ReadonlySet<string>, owner: Owner) => {
    count += 1
    try {
      const answer = await sendRaw(server, agent, request)
      const secrets = answer.status === 201 ? [] : [owner.key, server.operatorToken]
      const found = [...harmIn(answer, secrets)]
      if (answer.status >= 400 && !answer.type.startsWith("application/problem+json")) found.push(`is ${answer.type}`)
      if (!documented.has(String(answer.status)) && ![404, 405, 431].includes(answer.status)) {
        found.push(`answers ${answer.status}, which is not documented`)
      }
      harms.push(...found.map((harm) => `${request.method} ${request.path.slice(0, 80)} ${request.name}: ${harm}`))
    } catch (error) {
      harms.push(`${request.method} ${request.path.slice(0, 80)} ${request.name}: ${error}`)
    }
  }
  // Requests that do not depend on the operation go to the first operation of each shape: method, body or no body, and
  // first path segment. Tests over in-memory stores send them to all operations.
  const shapes = new Set<string>()
  const sample = makeSample()
  for (const inputs of inputsOf(document)) {
    const shape = `${inputs.method} ${inputs.body !== undefined} ${/^\/\w+/.exec(inputs.path)?.[0]}`
    const isFirst = !shapes.has(shape)
    shapes.add(shape)
    const owner = await makeOwner(server)
    const bearer = inputs.path.startsWith("/v1/") ? owner.key : server.operatorToken
    const headers = { authorization: `Bearer ${bearer}` }
    const pathValues = await makePathValues(inputs.pathParameters, owner)
    const operation = document.paths[inputs.path]?.[inputs.method.toLowerCase()]
    const documented = new Set(Object.keys(operation?.responses ?? {}))
    const wave: Array<HostileRequest> = []
    const hostile = [...hostileRequests(inputs, { pathValues, headers })]
    const ofValues = sample(hostile.filter((request) => spoilsAValue(request, inputs)))
    const ofForms = isFirst ? hostile.filter((request) => !spoilsAValue(request, inputs)) : []
    for (const request of [...ofValues, ...ofForms]) {
      const named = request.headers["idempotency-key"] === undefined && inputs.headers.includes("Idempotency-Key")
      const key = named ? { "idempotency-key": `hostile-${++keys}` } : {}
      wave.push({ ...request, headers: { ...request.headers, ...key } })
    }
    for (let at = 0; at < wave.length; at += 4) {
      await Promise.all(wave.slice(at, at + 4).map((request) => judge(request, documented, owner)))
    }
  }
  agent.destroy()
  return { harms, count }
}

const host = "Host: surety.example\r\n"

/**
 * Malformed, ambiguous or unusual requests as bytes, each with the allowed statuses. `undefined` means that no status
 * line arrives, for example if the server closes the connection.
 */
const noRequests: ReadonlyArray<readonly [what: string, bytes: string, statuses: ReadonlyArray<number | undefined>]> = [
  ["nothing that is HTTP", "\u0000\u0001\u0002\r\n\r\n", [400]],
  ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n", [400]],
  ["an unknown method", `NONSENSE / HTTP/1.1\r\n${host}\r\n`, [400]],
  ["no host", "GET /v1/whoami HTTP/1.1\r\n\r\n", [400]],
  ["two hosts", `GET /v1/whoami HTTP/1.1\r\n${host}${host}\r\n`, [400]],
  ["HTTP/9.9", `GET / HTTP/9.9\r\n${host}\r\n`, [400]],
  ["HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", [200]],
  ["a header without a colon", `GET / HTTP/1.1\r\n${host}nonsense\r\n\r\n`, [400]],
  ["a NUL in a header", `GET / HTTP/1.1\r\n${host}x: a\u0000b\r\n\r\n`, [400]],
  ["a header that goes on", `GET / HTTP/1.1\r\n${host}x: a\r\n b\r\n\r\n`, [400, 404]],
  ["a space before the colon", `GET / HTTP/1.1\r\n${host}x : a\r\n\r\n`, [400]],
  ["two lengths", `POST /merchants HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, [400]],
  ["a length below zero", `POST /merchants HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n{}`, [400]],
  ["a length that is no number", `POST /merchants HTTP/1.1\r\n${host}Content-Length: 0x2\r\n\r\n{}`, [400]],
  [
    "a length and chunks",
    `POST /merchants HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400]
  ],
  [
    "an unknown encoding",
    `POST /merchants HTTP/1.1\r\n${host}Transfer-Encoding: nonsense, chunked, x\r\n\r\n0\r\n\r\n`,
    [400, 501]
  ],
  ["headers of 20 KiB", `GET / HTTP/1.1\r\n${host}x: ${"a".repeat(20_000)}\r\n\r\n`, [431]],
  ["3,000 headers", `GET / HTTP/1.1\r\n${host}${"x: a\r\n".repeat(3_000)}\r\n`, [431]],
  ["a url of 100 KB", `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`, [414, 431]],
  ["a url of 5 KB", `GET /${"a".repeat(5_000)} HTTP/1.1\r\n${host}\r\n`, [414]],
  ["a whole url", `GET http://evil.example/v1/whoami HTTP/1.1\r\n${host}\r\n`, [400, 401]],
  ["a url that is none", `GET \\\\..\\.. HTTP/1.1\r\n${host}\r\n`, [400, 404]],
  ["an asterisk", `OPTIONS * HTTP/1.1\r\n${host}\r\n`, [400, 404]],
  ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", [400, 404, 405, undefined]],
  [
    "an upgrade",
    `GET /v1/whoami HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n`,
    [400, 401, undefined]
  ]
]

const posting = "POST /merchants HTTP/1.1\r\nContent-Type: application/json\r\n"

const chunked = `${posting}${host}Transfer-Encoding: chunked\r\n\r\n`

// The tests run concurrently, since the last one spends about a minute waiting.
describe.concurrent("A server in production", () => {
  it.live(
    "answers every hostile request of its own document from PostgreSQL, breaks at none and leaks nothing",
    () =>
      Effect.gen(function* () {
        const server = yield* serving(withDocs)
        yield* Effect.promise(async () => {
          const owner = await makeOwner(server)
          const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument
          const { count, harms } = await harmsOf(server, document)
          assert.deepStrictEqual(harms.slice(0, 20), [])
          assert.isAbove(count, 5_000)
          await answersStill(server, owner)
          assert.notMatch(server.stderr(), /"level":"ERROR"|sk_test_\w{20}/)
        })
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "answers bytes that are no request, or none that is clear, and ends the connection",
    () =>
      Effect.gen(function* () {
        const server = yield* serving()
        yield* Effect.promise(async () => {
          const owner = await makeOwner(server)
          for (const [what, bytes, statuses] of noRequests) {
            const until = (text: string) => text.includes("\r\n\r\n") && text.endsWith("}")
            const answer = await exchangeBytes(server.url, Buffer.from(bytes, "latin1"), { until, endsWrite: true })
            assert.include(statuses, statusOf(answer), `${what}: ${answer.text.slice(0, 300)}`)
            assert.deepStrictEqual(
              harmIn({ status: statusOf(answer) === 501 ? 400 : (statusOf(answer) ?? 400), text: answer.text }, []),
              [],
              what
            )
          }
          await answersStill(server, owner)
        })
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "gives slow and half requests up in time, and serves others meanwhile, however many there are",
    () =>
      Effect.gen(function* () {
        const server = yield* serving()
        yield* Effect.promise(async () => {
          const owner = await makeOwner(server)
          const stalled: ReadonlyArray<readonly [what: string, bytes: string, status: number]> = [
            ["half a request line", "GET /v1/wh", 408],
            ["half a header", `GET /v1/whoami HTTP/1.1\r\n${host}Authoriz`, 408],
            [
              "half a body",
              `${posting}${host}Content-Length: 100\r\nAuthorization: Bearer ${server.operatorToken}\r\n\r\n{"na`,
              408
            ],
            [
              "half a chunk",
              `${chunked.replace("\r\n\r\n", `\r\nAuthorization: Bearer ${server.operatorToken}\r\n\r\n`)}ff\r\n{"na`,
              408
            ]
          ]
          const { hostname, port } = new URL(server.url)
          const idle = Array.from({ length: 400 }, () => {
            const socket = connect({ host: hostname, port: Number(port) })
            socket.on("error", () => {})
            socket.write("GET /v1/whoami HT")
            return socket
          })
          const ends = stalled.map(async ([what, bytes, status]) => {
            // Headers must arrive within 10 seconds, and the complete request within 60.
            const answer = await exchangeBytes(server.url, bytes, { withinMillis: 75_000 })
            return { what, status, answered: statusOf(answer), isClosed: answer.isClosed }
          })
          for (let time = 0; time < 20; time += 1) await answersStill(server, owner)
          for (const { answered, isClosed, status, what } of await Promise.all(ends)) {
            assert.isTrue(isClosed, what)
            assert.strictEqual(answered, status, what)
          }
          for (const socket of idle) socket.destroy()
          await answersStill(server, owner)
        })
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )
})
