import { once } from "node:events"
import { type ClientRequest, type IncomingMessage, request as nodeRequest } from "node:http"
import { buffer } from "node:stream/consumers"
import { type LogLine, type Surety, unwrap } from "@surety/embed"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"
import { express5 } from "./express.js"
import { fastify5 } from "./fastify.js"
import { hono4 } from "./hono.js"
import { type HostServer, prefix } from "./Mount.js"
import { nest12 } from "./nest.js"
import { nextRoute } from "./nextRoute.js"
import { nodeHttp } from "./nodeHttp.js"

const mounts = [nodeHttp, express5, fastify5, hono4, nest12, nextRoute]

interface Answered {
  readonly status: number | undefined
  readonly headers: IncomingMessage["headers"]
  readonly bytes: Buffer
  readonly json: () => Record<string, unknown>
}

const answerOf = async (request: ClientRequest): Promise<Answered> => {
  const [response] = (await once(request, "response")) as [IncomingMessage]
  const bytes = await buffer(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    json: () => JSON.parse(bytes.toString("utf8"))
  }
}

const json = { "content-type": "application/json" }

/** Sends the body unchanged, even if it is not JSON. */
const send = (url: string, method: string, body?: string, headers: Readonly<Record<string, string>> = {}) => {
  const sent = body === undefined ? headers : { ...json, "content-length": `${Buffer.byteLength(body)}`, ...headers }
  const request = nodeRequest(url, { method, headers: { connection: "close", ...sent } })
  request.end(body)
  return answerOf(request)
}

/** Sends an endless body in chunks until a response arrives. Returns the response and the number of bytes sent. */
const sendWithoutEnd = async (url: string, headers: Readonly<Record<string, string>>) => {
  const request = nodeRequest(url, { method: "POST", headers: { ...json, ...headers } })
  let sent = 0
  let answered = false
  const chunk = `"${"x".repeat(16_382)}`
  const pump = () => {
    if (answered) return
    sent += chunk.length
    request.write(chunk, (error) => error || setImmediate(pump))
  }
  request.on("error", () => {})
  pump()
  const [response] = (await once(request, "response")) as [IncomingMessage]
  answered = true
  const bytes = await buffer(response)
  request.destroy()
  return { status: response.statusCode, sent, json: JSON.parse(bytes.toString("utf8")) }
}

describe.each(mounts)("Mounted in $framework", ({ mount, mountBehindParser }) => {
  const lines: Array<LogLine> = []
  let surety: Surety
  let host: HostServer
  let url: string
  let bearer: Readonly<Record<string, string>>

  const makeHosted = () => makeSurety({ basePath: prefix, provisioning: "open", logger: (line) => lines.push(line) })

  beforeAll(async () => {
    surety = await makeHosted()
    host = await mount(surety)
    url = await host.listen()
    const { scope } = await makeSale(surety, "1")
    const { secret } = unwrap(await surety.apiKeys.create(scope))
    bearer = { authorization: `Bearer ${secret}` }
  })
  afterAll(() => host.close())

  const refund = (body: string, key: string) =>
    send(`${url}${prefix}/v1/refunds`, "POST", body, { ...bearer, "idempotency-key": key })

  it("a refund goes through, and its repetition is answered with the same bytes", async () => {
    const body = `{ "transaction_id" : "order-1",\n "amount": 250.50, "reason": "Ọlá’s 🏺" }`
    const first = await refund(body, "bytes")
    assert.strictEqual(first.status, 201, first.bytes.toString())
    assert.deepInclude(first.json(), { amount: 250.5, reason: "Ọlá’s 🏺", status: "COMPLETED" })
    const again = await refund(body, "bytes")
    assert.strictEqual(again.headers["idempotent-replayed"], "true")
    assert.isTrue(first.bytes.equals(again.bytes))
  })

  it("an amount of more digits than a number carries is refused, since the text itself is read", async () => {
    const answer = await refund(`{"transaction_id":"order-1","amount":100.00000000000001}`, "digits")
    assert.deepInclude(answer.json(), { status: 400, code: "amount_precision" })
  })

  it("a field that is sent twice is refused", async () => {
    const answer = await refund(`{"transaction_id":"order-1","amount":1,"amount":2}`, "twice")
    assert.deepInclude(answer.json(), { status: 400, code: "invalid_json" })
  })

  it("errors have the interface's form, with the path as it was sent", async () => {
    const answer = await send(`${url}${prefix}/v1/whoami`, "GET", undefined, { "x-request-id": "mine" })
    assert.strictEqual(answer.status, 401)
    assert.strictEqual(answer.headers["content-type"], "application/problem+json")
    assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
    assert.deepInclude(answer.json(), {
      type: `http://localhost${prefix}/docs/errors#missing_api_key`,
      code: "missing_api_key",
      instance: `${prefix}/v1/whoami`,
      requestId: "mine"
    })
  })

  it("a query arrives", async () => {
    const answer = await send(`${url}${prefix}/v1/refunds?limit=0`, "GET", undefined, bearer)
    assert.deepInclude(answer.json(), { status: 400, code: "validation_failed" })
  })

  it("what is unknown below the prefix is answered here, and above it by the framework", async () => {
    const below = await send(`${url}${prefix}/nowhere`, "GET")
    assert.deepInclude(below.json(), { status: 404, code: "route_not_found" })
    const above = await send(`${url}/shop/nowhere`, "GET")
    assert.strictEqual(above.status, 404)
    assert.notInclude(above.bytes.toString(), "route_not_found")
    const alike = await send(`${url}${prefix}ments/v1/whoami`, "GET")
    assert.strictEqual(alike.status, 404)
    assert.notInclude(alike.bytes.toString(), "route_not_found")
  })

  it("another method is answered with those that there are", async () => {
    const answer = await send(`${url}${prefix}/v1/whoami`, "DELETE", undefined, bearer)
    assert.deepInclude(answer.json(), { status: 405, code: "method_not_allowed" })
    assert.strictEqual(answer.headers.allow, "GET, HEAD")
    assert.strictEqual((await send(`${url}${prefix}/v1/whoami`, "HEAD", undefined, bearer)).status, 200)
  })

  it("a body of another type is refused here, not by the framework", async () => {
    const answer = await send(`${url}${prefix}/v1/refunds`, "POST", "amount=1", {
      ...bearer,
      "idempotency-key": "form",
      "content-type": "application/x-www-form-urlencoded"
    })
    assert.deepInclude(answer.json(), { status: 415, code: "unsupported_media_type" })
  })

  it("the host's own routes are as before", async () => {
    const answer = await send(`${url}/shop/orders`, "POST", `{"order":1}`)
    assert.deepStrictEqual(answer.json(), { order: 1 })
  })

  it("a body without end is refused while it streams in", async () => {
    const {
      json: problem,
      sent,
      status
    } = await sendWithoutEnd(`${url}${prefix}/v1/refunds`, {
      ...bearer,
      "idempotency-key": "endless"
    })
    assert.strictEqual(status, 413)
    assert.strictEqual(problem.code, "body_too_large")
    assert.isBelow(sent, 32 * 1024 * 1024)
  })

  it("a body parser in front is found with the first request, in the answer and in the log", async () => {
    const wrong = await mountBehindParser(surety)
    const wrongUrl = await wrong.listen()
    lines.length = 0
    const answer = await send(`${wrongUrl}${prefix}/v1/refunds`, "POST", "{}", { ...bearer, "x-request-id": "r1" })
    assert.deepInclude(answer.json(), { status: 500, code: "internal_error", requestId: "r1" })
    assert.strictEqual(answer.headers["content-type"], "application/problem+json")
    const logged = lines.filter(({ level }) => level === "error").map(({ message }) => message)
    assert.lengthOf(logged, 1)
    assert.match(logged[0] ?? "", /Mount Surety before express\.json\(\) and other body parsers/)
    await wrong.close()
  })

  it("closes in order: requests in flight are answered, then the server closes, then Surety", async () => {
    const closing = await makeHosted()
    const server = await mount(closing)
    const at = await server.listen()
    const body = JSON.stringify({
      ...{ name: "A", legalName: "A Ltd", contactName: "Ada", contactEmail: "a@a.example" },
      ...{ country: "NG", businessType: "retail" }
    })
    const request = nodeRequest(`${at}${prefix}/merchants`, {
      method: "POST",
      headers: { ...json, "content-length": `${Buffer.byteLength(body)}`, connection: "close" }
    })
    request.write(body.slice(0, 10))
    await once(request, "socket")
    // A complete exchange on another connection gives the server time to read the first request's head.
    await send(`${at}${prefix}/v1/whoami`, "GET")
    const closed = server.close()
    request.end(body.slice(10))
    assert.strictEqual((await answerOf(request)).status, 201)
    await closed
    const refused = await send(`${at}${prefix}/v1/whoami`, "GET").catch((error: NodeJS.ErrnoException) => error.code)
    assert.strictEqual(refused, "ECONNREFUSED")
    await closing.close()
  })

  it("after Surety's end a server that still listens answers 503", async () => {
    const ended = await makeHosted()
    const server = await mount(ended)
    const at = await server.listen()
    await ended.close()
    const answer = await send(`${at}${prefix}/v1/whoami`, "GET")
    assert.deepInclude(answer.json(), { status: 503, code: "service_unavailable" })
    assert.strictEqual(answer.headers["retry-after"], "5")
    await server.close()
  })
})
