import { createServer } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { Duration, Effect, Fiber, Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as UndiciHttpClient from "../../src/node/UndiciHttpClient.js"
import * as WebhookSender from "../../src/send/WebhookSender.js"
import { defaultWebhookSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import { afterTurns, answer, eventually, receiver } from "../Receiver.js"

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  undici: UndiciHttpClient.layerDevelopment,
  "node:http": NodeHttpClient.layerNodeHttpOptions({ keepAlive: true }),
  fetch: FetchHttpClient.layer
}

const body = new TextEncoder().encode('{"reason":"₦ 🏺","amount":2500.50}')
const headers = { "X-Service-Event": "refund.completed", "User-Agent": "Service-Webhooks/1.0", "webhook-id": "event_1" }

const send = Effect.fnUntraced(function* (url: string) {
  const sender = yield* WebhookSender.WebhookSender
  return yield* sender.send({ url, headers, body })
})

const layerWith = (
  client: Layer.Layer<HttpClient.HttpClient>,
  settings: Partial<WebhookSettings> = {},
  targets: Layer.Layer<TargetPolicy.TargetPolicy> = TargetPolicy.layerDevelopment
) =>
  WebhookSender.layer.pipe(
    Layer.provide([client, targets, Layer.succeed(WebhookSettings, { ...defaultWebhookSettings, ...settings })])
  )

const soon = { attemptTimeout: Duration.millis(300) }

/** Number of turns of the event loop within which a written response arrives. */
const turns = 200

const arrival = Effect.promise(() => new Promise<void>((resolve) => afterTurns(turns, resolve)))

for (const [name, client] of Object.entries(clients)) {
  describe(`sending over ${name}`, () => {
    it.live("posts the stored bytes with our headers and no others of ours", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver(answer(200, {}, "thanks"))
        const outcome = yield* send(`${merchant.url}/hooks/a%20b?token=x%2Fy&b`)
        expect(outcome).toEqual({ status: 200, bodyText: "thanks", durationMillis: expect.any(Number) })
        const [request] = merchant.received
        expect(request).toMatchObject({
          method: "POST",
          url: "/hooks/a%20b?token=x%2Fy&b",
          headers: {
            "content-length": String(body.length),
            "user-agent": "Service-Webhooks/1.0",
            "webhook-id": "event_1",
            "x-service-event": "refund.completed"
          }
        })
        expect(request?.body).toEqual(Buffer.from(body))
        expect(Object.keys(request?.headers ?? {})).not.toContain("traceparent")
        expect(Object.keys(request?.headers ?? {})).not.toContain("b3")
      }).pipe(Effect.withSpan("the caller's span"), Effect.provide(layerWith(client)))
    )

    for (const status of [301, 302, 303, 307, 308]) {
      it.live(`does not follow a ${status}`, () =>
        Effect.gen(function* () {
          const elsewhere = yield* receiver(answer(200))
          const merchant = yield* receiver(answer(status, { location: `${elsewhere.url}/stolen` }))
          expect(yield* send(merchant.url)).toMatchObject({ status })
          expect(merchant.received).toHaveLength(1)
          expect(elsewhere.received).toHaveLength(0)
        }).pipe(Effect.provide(layerWith(client)))
      )
    }

    it.live("keeps the connection of a completely read response", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver(answer(200, {}, "thanks"))
        for (let count = 0; count < 5; count++) {
          yield* send(merchant.url)
          yield* Effect.sleep("10 millis")
        }
        expect(merchant.received).toHaveLength(5)
        expect(merchant.connections.opened).toBe(1)
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reads 4 KiB of an endless response, and hangs up", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver((response) => {
          response.writeHead(200)
          const pour = () => {
            while (!response.destroyed && response.write("a".repeat(1000)));
          }
          response.on("drain", pour)
          pour()
        })
        const outcome = yield* send(merchant.url)
        expect(outcome).toMatchObject({ status: 200, bodyText: "a".repeat(4096) })
        yield* eventually("the connection is closed", () => merchant.connections.open === 0)
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("hangs up on a response longer than it reads", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver(answer(200, {}, "a".repeat(1_000_000)))
        expect(yield* send(merchant.url)).toMatchObject({ status: 200, bodyText: "a".repeat(4096) })
        yield* eventually("the connection is closed", () => merchant.connections.open === 0)
      }).pipe(Effect.provide(layerWith(client)))
    )

    const interrupted: Readonly<Record<string, Parameters<typeof receiver>[0]>> = {
      "before an answer": () => undefined,
      "after the answer's head": (response) => response.writeHead(200).flushHeaders(),
      "in the answer's body": (response) => response.writeHead(200).write("so far")
    }
    for (const [when, answering] of Object.entries(interrupted)) {
      it.live(`hangs up when it is interrupted ${when}`, () =>
        Effect.gen(function* () {
          const merchant = yield* receiver(answering)
          const sending = yield* Effect.forkChild(send(merchant.url))
          yield* eventually("it has arrived", () => merchant.received.length === 1)
          // Allows time for a response to arrive. The test must pass whether or not it arrives before the interruption.
          yield* Effect.sleep("20 millis")
          expect(merchant.connections.open).toBe(1)
          yield* Fiber.interrupt(sending)
          yield* eventually("the connection is closed", () => merchant.connections.open === 0)
        }).pipe(Effect.provide(layerWith(client)))
      )
    }

    it.effect("times out on a receiver that never responds, and hangs up", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver(() => undefined)
        const sending = yield* Effect.forkChild(send(merchant.url))
        yield* eventually("it is there", () => merchant.received.length === 1)
        yield* TestClock.adjust(299)
        expect(sending.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(sending)).toEqual({ error: "timeout", durationMillis: 300 })
        yield* eventually("the connection is closed", () => merchant.connections.open === 0)
      }).pipe(Effect.provide(layerWith(client, soon)))
    )

    it.effect("counts a status that arrived in time, even if the body never ends", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver((response) => response.writeHead(200).write("so far"))
        const sending = yield* Effect.forkChild(send(merchant.url))
        yield* eventually("it is there", () => merchant.received.length === 1)
        yield* arrival
        yield* TestClock.adjust(299)
        expect(sending.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(sending)).toMatchObject({ status: 200, bodyText: "so far", durationMillis: 300 })
        yield* eventually("the connection is closed", () => merchant.connections.open === 0)
      }).pipe(Effect.provide(layerWith(client, soon)))
    )

    it.live("counts a status even if the connection breaks in the body", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver((response) => {
          response.writeHead(202, { "content-length": "100" })
          response.write("so far", () => afterTurns(turns, () => response.destroy()))
        })
        expect(yield* send(merchant.url)).toMatchObject({ status: 202, bodyText: "so far" })
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reports a refused connection", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(receiver(answer(200)))
        expect(yield* send(url)).toEqual({ error: "connection_refused", durationMillis: expect.any(Number) })
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reports a connection reset before a response", () =>
      Effect.gen(function* () {
        const merchant = yield* receiver((response) => response.destroy())
        expect(yield* send(merchant.url)).toMatchObject({ error: "connection_reset" })
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reports that the host has no address", () =>
      Effect.gen(function* () {
        expect(yield* send("http://nobody.invalid/")).toMatchObject({ error: "name_not_resolved" })
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reports a response that is not HTTP", () =>
      Effect.gen(function* () {
        const port = yield* Effect.acquireRelease(
          Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
            const server = createServer((socket) => {
              socket.on("error", () => undefined)
              socket.on("data", () => socket.end("SSH-2.0-OpenSSH_9.2\r\n\r\n"))
            })
            server.listen(0, "127.0.0.1", () => {
              const address = server.address()
              const port = typeof address === "object" && address !== null ? address.port : 0
              resume(Effect.succeed({ port, close: () => server.close() }))
            })
          }),
          ({ close }) => Effect.sync(close)
        )
        expect(yield* send(`http://127.0.0.1:${port.port}`)).toMatchObject({ error: "invalid_answer" })
      }).pipe(Effect.provide(layerWith(client)))
    )

    it.live("reports a TLS failure", () =>
      Effect.gen(function* () {
        const plain = yield* receiver(answer(200))
        expect(yield* send(plain.url.replace("http:", "https:"))).toMatchObject({ error: "tls_failed" })
      }).pipe(Effect.provide(layerWith(client)))
    )

    for (const url of ["", "no url", "ftp://example.com/"]) {
      it.live(`does not throw for the url ${JSON.stringify(url)}`, () =>
        Effect.gen(function* () {
          const anywhere = Layer.succeed(TargetPolicy.TargetPolicy, { check: () => Effect.void })
          const outcome = yield* send(url).pipe(Effect.provide(layerWith(client, {}, anywhere)))
          expect(outcome.error).toBeDefined()
        })
      )
    }
  })
}

describe("sending", () => {
  it.live("asks the target policy each time, and never calls a refused target", () =>
    Effect.gen(function* () {
      const merchant = yield* receiver(answer(200))
      let allowed = true
      const targets = Layer.succeed(TargetPolicy.TargetPolicy, {
        check: () =>
          allowed ? Effect.void : Effect.fail(new TargetPolicy.TargetNotAllowed({ code: "url_private", detail: "No." }))
      })
      const outcomes = yield* Effect.gen(function* () {
        const first = yield* send(merchant.url)
        allowed = false
        return [first, yield* send(merchant.url)]
      }).pipe(Effect.provide(layerWith(NodeHttpClient.layerUndici, {}, targets)))
      expect(outcomes).toMatchObject([{ status: 200 }, { error: "target_not_allowed" }])
      expect(merchant.received).toHaveLength(1)
    })
  )

  const keepingNames = { undici: NodeHttpClient.layerUndici, "node:http": NodeHttpClient.layerNodeHttp }
  for (const [name, client] of Object.entries(keepingNames)) {
    it.live(`sends header names in their documented case, over ${name}`, () =>
      Effect.gen(function* () {
        const merchant = yield* receiver(answer(200))
        yield* send(merchant.url).pipe(Effect.provide(layerWith(client)))
        const names = merchant.received[0]?.rawHeaders.filter((_, index) => index % 2 === 0)
        expect(names).toEqual(expect.arrayContaining(["X-Service-Event", "User-Agent", "webhook-id"]))
      })
    )
  }

  const excerpts: ReadonlyArray<readonly [what: string, sent: Buffer, text: string | undefined]> = [
    ["nothing of an empty answer", Buffer.of(), undefined],
    ["no half of a character", Buffer.from(`${"a".repeat(4095)}₦₦`), "a".repeat(4095)],
    ["a mark for what is not UTF-8", Buffer.of(0x61, 0xff, 0x62), "a\uFFFDb"],
    ["a mark for NUL, which no database keeps", Buffer.of(0x61, 0, 0x62), "a\uFFFDb"]
  ]
  for (const [what, sent, text] of excerpts) {
    it.live(`keeps ${what}`, () =>
      Effect.gen(function* () {
        const merchant = yield* receiver((response) => response.writeHead(500).end(sent))
        const outcome = yield* send(merchant.url).pipe(Effect.provide(layerWith(NodeHttpClient.layerUndici)))
        expect(outcome.bodyText).toBe(text)
      })
    )
  }

  const now = Date.parse("2026-11-20T12:00:00Z")
  const inTwoMinutes = () => new Date(now + 120_000).toUTCString()
  const retryAfters: ReadonlyArray<readonly [header: () => string, seconds: number | undefined]> = [
    [() => "120", 120],
    [() => "0", 0],
    [inTwoMinutes, 120],
    [() => "Sun, 06 Nov 1994 08:49:37 GMT", 0],
    [() => "Sunday, 06-Nov-94 08:49:37 GMT", 0],
    [() => "Sun Nov  6 08:49:37 1994", 0],
    [() => "-5", undefined],
    [() => "1.5", undefined],
    [() => "soon", undefined]
  ]
  for (const [header, seconds] of retryAfters) {
    it.effect(`reads Retry-After: ${header === inTwoMinutes ? "a date in two minutes" : header()}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const merchant = yield* receiver(answer(503, { "retry-after": header() }))
        const outcome = yield* send(merchant.url).pipe(Effect.provide(layerWith(NodeHttpClient.layerUndici)))
        expect(outcome.retryAfter === undefined ? undefined : Duration.toSeconds(outcome.retryAfter)).toBe(seconds)
      })
    )
  }
})
