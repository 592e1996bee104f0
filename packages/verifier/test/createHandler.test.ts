import { describe, expect, it, vi } from "vitest"
import { createHandler, type HandlerOptions } from "../src/createHandler.js"
import { sign } from "../src/signature/sign.js"
import { newSecret, samplePayloads } from "../src/testing.js"
import type { WebhookEvent } from "../src/WebhookEvent.js"

const secret = newSecret()

const deliver = (id = "event_1") =>
  sign({ secrets: secret, topic: "refund.completed", payload: samplePayloads["refund.completed"], id })

const post = async (id?: string) => {
  const { body, headers } = await deliver(id)
  return new Request("https://shop.example/webhooks", { method: "POST", body, headers })
}

const setUp = (options: Partial<HandlerOptions> = {}) => {
  const ran: Array<string> = []
  const onError = vi.fn()
  const onRefused = vi.fn()
  const onEvent = (event: WebhookEvent) => {
    ran.push(event.id)
  }
  return {
    ran,
    onError,
    onRefused,
    handler: createHandler({ secrets: secret, onEvent, onError, onRefused, ...options })
  }
}

const gate = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { promise, open: () => resolve(), fail: () => reject(new Error("no stock")) }
}

describe("a handler", () => {
  it("runs the work of a genuine delivery and answers 200", async () => {
    const { handler, ran } = setUp()
    const response = await handler(await post())
    expect([response.status, await response.json()]).toEqual([200, { outcome: "processed" }])
    expect(ran).toEqual(["event_1"])
  })

  it("answers in JSON and says so", async () => {
    const { handler } = setUp()
    const answers = [await handler(await post()), await handler(new Request("https://shop.example/webhooks"))]
    expect(answers.map(({ headers }) => headers.get("content-type"))).toEqual(["application/json", "application/json"])
    expect(await answers[1]?.json()).toEqual({ outcome: "refused", message: expect.stringContaining("POST") })
  })

  it("answers a repeated delivery 200 without running the work again, for any attempt", async () => {
    const { handler, ran } = setUp()
    await handler(await post())
    const again = await sign({
      secrets: secret,
      topic: "refund.completed",
      payload: samplePayloads["refund.completed"],
      id: "event_1",
      attempt: 2,
      timestamp: new Date(Date.now() + 60_000)
    })
    expect(await handler.receive(again)).toMatchObject({ status: 200, outcome: "duplicate" })
    expect(ran).toEqual(["event_1"])
  })

  it("answers 503 with Retry-After to a delivery of an event that is being worked on", async () => {
    const work = gate()
    const { handler } = setUp({ onEvent: () => work.promise })
    const first = handler(await post())
    const second = await handler(await post())
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "5"])
    work.open()
    expect((await first).status).toBe(200)
    expect(await (await handler(await post())).json()).toEqual({ outcome: "duplicate" })
  })

  it("runs the work once however many deliveries of the event come at the same moment", async () => {
    const { handler, ran } = setUp()
    const requests = await Promise.all(Array.from({ length: 50 }, () => post()))
    const statuses = (await Promise.all(requests.map((request) => handler(request)))).map((response) => response.status)
    expect(ran).toEqual(["event_1"])
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
  })

  it("works on different events side by side", async () => {
    const work = gate()
    const { handler } = setUp({ onEvent: (event) => (event.id === "event_1" ? work.promise : undefined) })
    const first = handler(await post("event_1"))
    expect((await handler(await post("event_2"))).status).toBe(200)
    work.open()
    expect((await first).status).toBe(200)
  })

  it("releases an event whose work failed, answers 500 without saying why, and runs it when it comes again", async () => {
    const onEvent = vi.fn().mockRejectedValueOnce(new Error("password of the database"))
    const { handler, onError } = setUp({ onEvent })
    const failed = await handler(await post())
    expect([failed.status, await failed.json()]).toEqual([500, { outcome: "failed" }])
    expect(onError).toHaveBeenCalledWith(
      new Error("password of the database"),
      expect.objectContaining({ id: "event_1" })
    )
    expect((await handler(await post())).status).toBe(200)
    expect(onEvent).toHaveBeenCalledTimes(2)
  })

  it("does the same when the work throws at once", async () => {
    const onEvent = vi.fn().mockImplementationOnce(() => {
      throw new Error("at once")
    })
    const { handler } = setUp({ onEvent })
    expect((await handler(await post())).status).toBe(500)
    expect((await handler(await post())).status).toBe(200)
  })

  it("writes failures to the console by default", async () => {
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {})
    const failing = createHandler({ secrets: secret, onEvent: () => Promise.reject(new Error("no stock")) })
    expect((await failing(await post())).status).toBe(500)
    expect(console).toHaveBeenCalledWith(expect.stringContaining("event_1"), new Error("no stock"))
    console.mockRestore()
  })

  it("refuses a forged delivery with 400 and the reason, claims nothing and runs nothing", async () => {
    const claim = vi.fn()
    const { handler, ran, onRefused } = setUp({ store: { claim } })
    const { body, headers } = await deliver()
    const answer = await handler.receive({ headers, body: body.replace("2500.5", "9500.5") })
    expect([answer.status, answer.outcome, JSON.parse(answer.body).reason]).toEqual([
      400,
      "refused",
      "signature_mismatch"
    ])
    expect(onRefused).toHaveBeenCalledWith(expect.objectContaining({ reason: "signature_mismatch" }))
    expect(claim).not.toHaveBeenCalled()
    expect(ran).toEqual([])
  })

  it("answers 500 and keeps the details to itself if its own side is set up wrongly", async () => {
    const { body, headers } = await deliver()
    const parsed = JSON.parse(body)
    const answers = [
      await setUp().handler.receive({ headers, body: parsed }),
      await setUp({ secrets: "" }).handler.receive({ headers, body })
    ]
    expect(answers.map(({ status, body }) => [status, JSON.parse(body)])).toEqual([
      [500, { outcome: "refused", reason: "body_not_raw" }],
      [500, { outcome: "refused", reason: "invalid_secret" }]
    ])
  })

  it("writes each fault of its own side to the console once by default, and nothing of forged deliveries", async () => {
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {})
    const { body, headers } = await deliver()
    const silent = createHandler({ secrets: secret, onEvent: () => {} })
    await silent.receive({ headers, body: `${body} ` })
    expect(console).not.toHaveBeenCalled()
    for (let delivery = 0; delivery < 3; delivery++) await silent.receive({ headers, body: JSON.parse(body) })
    await createHandler({ secrets: undefined, onEvent: () => {} }).receive({ headers, body })
    expect(console.mock.calls.flat()).toEqual([
      expect.stringContaining("body_not_raw"),
      expect.stringContaining("check that its setting is set")
    ])
    console.mockRestore()
  })

  it("says that a request's body has been read before", async () => {
    const { handler, onRefused } = setUp()
    const [used, locked] = [await post(), await post()]
    await used.text()
    locked.body?.getReader()
    expect([(await handler(used)).status, (await handler(locked)).status]).toEqual([500, 500])
    expect(onRefused).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining("already read it") })
    )
  })

  it("answers anything but POST 405 with Allow", async () => {
    const response = await setUp().handler(new Request("https://shop.example/webhooks"))
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("reads a streamed body up to its bound and answers 413 beyond", async () => {
    const { body, headers } = await deliver()
    const size = new TextEncoder().encode(body).length
    const request = () => new Request("https://shop.example/webhooks", { method: "POST", body, headers })
    expect((await setUp({ maxBodyBytes: size }).handler(request())).status).toBe(200)
    const tooLarge = await setUp({ maxBodyBytes: size - 1 }).handler(request())
    expect([tooLarge.status, await tooLarge.json()]).toEqual([
      413,
      { outcome: "refused", message: expect.stringContaining(`${size - 1} bytes`) }
    ])
  })

  it("says that a body's stream failed", async () => {
    const { headers } = await deliver()
    const { handler, onRefused } = setUp()
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(123)
      throw new Error("reset")
    }
    expect((await handler.receive({ headers, body: broken() })).status).toBe(500)
    expect(onRefused).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining("stream failed before its end") })
    )
  })

  it("names the outcome of a delivery that another one's work or a failed store keeps waiting", async () => {
    const { body, headers } = await deliver()
    const running = setUp({ store: { claim: () => ({ state: "running" }) } })
    expect(await running.handler.receive({ headers, body })).toMatchObject({ status: 503, outcome: "running" })
    const failing = setUp({ store: { claim: () => Promise.reject(new Error("down")) } })
    expect(await failing.handler.receive({ headers, body })).toMatchObject({ status: 503, outcome: "failed" })
  })

  it("reads a request whose stream cannot be iterated, and finds one without a body empty", async () => {
    const { body, headers } = await deliver()
    const { handler } = setUp()
    const arrayBuffer = async () => new TextEncoder().encode(body).buffer
    const request = { method: "POST", headers: new Headers(headers), body: {}, bodyUsed: false, arrayBuffer }
    expect((await handler(request as unknown as Request)).status).toBe(200)
    const bare = new Request("https://shop.example/webhooks", { method: "POST", headers })
    expect(await (await handler(bare)).json()).toEqual({ outcome: "refused", reason: "body_not_raw" })
  })

  it("reads a stream in pieces of any size, also of text, and refuses one of objects", async () => {
    const { body, headers } = await deliver()
    const { handler } = setUp()
    const stream = async function* (pieces: Iterable<unknown>) {
      yield* pieces as Iterable<Uint8Array>
    }
    const single = Array.from(new TextEncoder().encode(body), (byte) => Uint8Array.of(byte))
    expect((await handler.receive({ headers, body: stream(single) })).outcome).toBe("processed")
    expect((await handler.receive({ headers, body: stream(body) })).outcome).toBe("duplicate")
    expect((await handler.receive({ headers, body: stream([JSON.parse(body)]) })).status).toBe(500)
  })

  it("runs nothing and asks to come again when the store cannot be reached", async () => {
    const { handler, ran, onError } = setUp({ store: { claim: () => Promise.reject(new Error("store down")) } })
    const response = await handler(await post())
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
    expect(ran).toEqual([])
    expect(onError).toHaveBeenCalledWith(new Error("store down"), expect.anything())
  })

  it.each([undefined, null, {}, { state: "CLAIMED" }])("takes %j from a store for no claim", async (said) => {
    const { handler, ran, onError } = setUp({ store: { claim: () => JSON.parse(JSON.stringify(said) ?? "null") } })
    const response = await handler(await post())
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
    expect(ran).toEqual([])
    expect(onError).toHaveBeenCalledWith(expect.any(Error), expect.anything())
  })

  it("responds by the outcome of the work when the store fails after it, and reports that failure too", async () => {
    const down = () => Promise.reject(new Error("store down"))
    const store = { claim: () => ({ state: "claimed", complete: down, release: down }) as const }
    const done = setUp({ store })
    expect((await done.handler(await post())).status).toBe(200)
    expect(done.onError).toHaveBeenCalledTimes(1)
    const failed = setUp({ store, onEvent: () => Promise.reject(new Error("no stock")) })
    expect((await failed.handler(await post())).status).toBe(500)
    expect(failed.onError).toHaveBeenCalledTimes(2)
  })

  it("keeps a store's own `this`", async () => {
    class Store {
      readonly seen: Array<string> = []
      claim(id: string) {
        const { seen } = this
        return new (class {
          readonly state = "claimed"
          complete() {
            seen.push(`${this.state} ${id}`)
          }
          release() {}
        })()
      }
    }
    const store = new Store()
    await setUp({ store }).handler(await post())
    expect(store.seen).toEqual(["claimed event_1"])
  })
})
