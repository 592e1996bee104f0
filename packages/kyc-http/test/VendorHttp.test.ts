import { createServer } from "node:net"
import { assert, it } from "@effect/vitest"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import * as VendorFailure from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import * as VendorServer from "@surety/testing/kyc/vendor/VendorServer"
import { Cause, Duration, Effect, Option, Redacted, Schema, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"

const number = "12345678901"
const key = "sk_live_canary"

const play = (reply: VendorServer.VendorReply): VendorServer.VendorServer =>
  VendorServer.make({
    isSubmission: () => true,
    answer: () => reply,
    refused: reply,
    unknownCode: () => reply
  })

const call: VendorHttp.VendorCall = {
  method: "POST",
  route: "/identities/{number}",
  values: { number: Redacted.make(number) },
  headers: { authorization: Redacted.make(`Bearer ${key}`) },
  body: Redacted.make({ first: "Canaryfirst" })
}

const callAt = (
  baseUrl: string,
  settings: Partial<VendorHttp.VendorHttpSettings> = {},
  asked: VendorHttp.VendorCall = call
) =>
  Effect.flatMap(VendorHttp.make({ vendor: "acme", baseUrl, ...settings }), (http) => http.call(asked)).pipe(
    Effect.provide(FetchHttpClient.layer)
  )

const asked = (reply: VendorServer.VendorReply, settings: Partial<VendorHttp.VendorHttpSettings> = {}) =>
  Effect.scoped(Effect.flatMap(play(reply).listen, (url) => callAt(url, settings)))

const Found = Schema.Struct({ found: Schema.Boolean })

it.live("sends what it was given, and decodes what comes back", () =>
  Effect.gen(function* () {
    const vendor = play({ status: 200, body: { found: true, more: number } })
    const url = yield* vendor.listen
    const asked = { ...call, values: { number: Redacted.make("1/2 3?") } }
    const answer = yield* callAt(`${url}/base/`, {}, asked)
    assert.deepEqual(VendorAnswer.decode(Found)(answer), Option.some({ found: true }))
    assert.notInclude(JSON.stringify(answer), number)
    const [request] = vendor.received
    assert.strictEqual(request?.path, "/base/identities/1%2F2%203%3F")
    assert.strictEqual(request?.headers.authorization, `Bearer ${key}`)
    assert.strictEqual(request?.headers["content-type"], "application/json")
    assert.strictEqual(request?.body, '{"first":"Canaryfirst"}')
    assert.notProperty(request?.headers, "traceparent")
  }).pipe(Effect.scoped)
)

it.live("shows the route's template in its span, and nothing of the call anywhere", () =>
  Effect.gen(function* () {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    for (const reply of [{ status: 422, body: { message: number } }, "cut"] as const) {
      yield* Effect.exit(asked(reply)).pipe(Effect.withTracer(tracer))
    }
    assert.deepEqual(
      spans.map(({ attributes, name }) => [name, attributes.get("url.template"), attributes.get("vendor")]),
      [1, 2].map(() => ["VendorHttp.call", "/identities/{number}", "acme"])
    )
    assert.strictEqual(spans[0]?.attributes.get("http.response.status_code"), 422)
    const shown = spans.map(({ attributes, status }) => [
      ...attributes.values(),
      status._tag === "Ended" && status.exit._tag === "Failure" ? Cause.pretty(status.exit.cause) : ""
    ])
    for (const secret of [number, key, "Canaryfirst", "127.0.0.1"]) assert.notInclude(JSON.stringify(shown), secret)
  })
)

it.live("knows that a refused connection and an unknown name reached no one", () =>
  Effect.gen(function* () {
    const url = yield* Effect.scoped(play("cut").listen)
    const refused = yield* Effect.flip(callAt(url))
    assert.deepInclude(refused, { mayHaveReached: false, reason: "connection_refused" })
    assert.strictEqual(VendorFailure.submitFailure(refused)._tag, "KycNotSubmitted")
    const unnamed = yield* Effect.flip(callAt("http://vendor.invalid"))
    assert.isFalse(unnamed.mayHaveReached)
  })
)

it.live("takes everything else for an unknown outcome", () =>
  Effect.gen(function* () {
    const cut = yield* Effect.flip(asked("cut"))
    assert.isTrue(cut.mayHaveReached)
    assert.strictEqual(VendorFailure.submitFailure(cut)._tag, "KycOutcomeUnknown")
    const silent = yield* Effect.flip(asked("hang", { timeout: Duration.millis(50) }))
    assert.deepInclude(silent, { mayHaveReached: true, reason: "timed_out" })
  })
)

it.live("takes a response that is not HTTP for an unknown outcome", () =>
  Effect.gen(function* () {
    const port = yield* Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
        const server = createServer((socket) => void socket.on("error", () => undefined).end("no http\r\n\r\n"))
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({ port, close: () => server.close() }))
        })
      }),
      ({ close }) => Effect.sync(close)
    )
    assert.isTrue((yield* Effect.flip(callAt(`http://127.0.0.1:${port.port}`))).mayHaveReached)
  }).pipe(Effect.scoped)
)

it.live("follows no redirect, which would carry the number elsewhere", () =>
  Effect.gen(function* () {
    const elsewhere = play({ status: 200, body: { found: true } })
    const location = yield* elsewhere.listen
    const answer = yield* asked({ status: 307, body: "", headers: { location } })
    assert.notStrictEqual(answer.status, 200)
    assert.isTrue(Option.isNone(VendorAnswer.decode(Found)(answer)))
    assert.lengthOf(elsewhere.received, 0)
  }).pipe(Effect.scoped)
)

it.live("keeps the status of a response whose body it cannot read", () =>
  Effect.gen(function* () {
    const long = { found: true, photo: "a".repeat(2000) }
    const nested = "[".repeat(100) + "]".repeat(100)
    for (const [reply, settings] of [
      [{ status: 200, body: long }, { responseLimitBytes: 1000 }],
      [{ status: 200, body: nested }, {}],
      [{ status: 200, body: "{" }, {}],
      [{ status: 200, body: "" }, {}]
    ] as const) {
      const answer = yield* asked(reply, settings)
      assert.strictEqual(answer.status, 200)
      assert.isTrue(Option.isNone(VendorAnswer.decode(Found)(answer)))
    }
    const whole = yield* asked({ status: 200, body: long })
    assert.isTrue(Option.isSome(VendorAnswer.decode(Found)(whole)))
  })
)

it("names the statuses by which a vendor did nothing, and no other", () => {
  for (const [status, reason] of [
    [401, "credentials_refused"],
    [402, "balance_empty"],
    [403, "access_refused"],
    [429, "rate_limited"]
  ] as const) {
    assert.strictEqual(Option.getOrUndefined(VendorAnswer.refusal(status))?.reason, reason)
  }
  for (const status of [200, 302, 400, 404, 408, 409, 422, 500, 502, 503, 504]) {
    assert.isTrue(Option.isNone(VendorAnswer.refusal(status)), String(status))
  }
  assert.strictEqual(VendorAnswer.unclear({ status: 503 }).reason, "http_503")
  assert.strictEqual(VendorAnswer.unclear({ status: 200 }).reason, "answer_not_understood")
})

const failed = (cause: object) => VendorFailure.ofError(new TypeError("fetch failed", { cause }))
const system = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall })

it("believes an error only if it can come from nothing but connecting", () => {
  assert.isFalse(failed(system("ECONNREFUSED", "connect")).mayHaveReached)
  assert.isFalse(failed(system("ENOTFOUND", "getaddrinfo")).mayHaveReached)
  assert.isFalse(failed(system("CERT_HAS_EXPIRED", "")).mayHaveReached)
  assert.isFalse(failed(system("UND_ERR_CONNECT_TIMEOUT", "")).mayHaveReached)
  assert.isTrue(failed(system("ETIMEDOUT", "read")).mayHaveReached)
  assert.isTrue(failed(system("EHOSTUNREACH", "write")).mayHaveReached)
  assert.isTrue(failed(system("ECONNRESET", "connect")).mayHaveReached)
  assert.isTrue(failed(system("UND_ERR_HEADERS_TIMEOUT", "")).mayHaveReached)
  assert.isTrue(failed(new Error("anything")).mayHaveReached)
  const refused = system("ECONNREFUSED", "connect")
  const both = (second: object) => failed(new AggregateError([refused, second], ""))
  assert.isFalse(both(system("ETIMEDOUT", "connect")).mayHaveReached)
  assert.isTrue(both(system("ECONNRESET", "read")).mayHaveReached)
})
