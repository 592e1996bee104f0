import { inspect } from "node:util"
import { afterEach, describe, expect, it, vi } from "vitest"
import { assertBackend } from "../src/call/backendOnly.js"
import { type Client, type ClientOptions, createClient, SuretyError, UsageError } from "../src/index.js"

const apiKey = "sk_live_CANARYcanaryCANARYcanary0123456789"
const working = { apiKey, baseUrl: "https://pay.example" }

describe("a client is refused", () => {
  it.each([
    ["no key", { apiKey: undefined }],
    ["an empty key", { apiKey: "" }],
    ["a webhook's secret in place of the key", { apiKey: "whsec_CANARY" }],
    ["a key with a line's end", { apiKey: `${apiKey}\n` }],
    ["a key with its header's word", { apiKey: `Bearer ${apiKey}` }]
  ])("%s, without saying it", (_what, options) => {
    const make = () => createClient({ ...working, ...options })
    expect(make).toThrow(UsageError)
    expect(make).toThrow(/apiKey must be your backend's secret key/u)
    expect(make).not.toThrow(/CANARY/u)
  })

  it.each([
    [undefined, "not an absolute url"],
    ["pay.example", "not an absolute url"],
    ["http://pay.example", "not https"],
    ["http://10.0.0.8:3000", "not https"],
    ["http://localhost.example", "not https"],
    ["http://127.0.0.1.example", "not https"],
    ["ftp://127.0.0.1", "not https"],
    ["https://user:CANARY@pay.example", "a user name or password"],
    ["https://pay.example/?key=1", "a query"],
    ["https://pay.example/#v1", "a fragment"]
  ])("base address %s: %s", (baseUrl, why) => {
    expect(() => createClient({ ...working, baseUrl })).toThrow(why)
    expect(() => createClient({ ...working, baseUrl })).not.toThrow(/CANARY/u)
  })

  it.each<[string, Partial<ClientOptions>]>([
    ["timeoutMillis", { timeoutMillis: 0 }],
    ["timeoutMillis", { timeoutMillis: Number.NaN }],
    ["timeoutMillis", { timeoutMillis: Number.POSITIVE_INFINITY }],
    ["deadlineMillis", { deadlineMillis: 2 ** 31 }],
    ["maxRetries", { maxRetries: -1 }],
    ["maxRetries", { maxRetries: 1.5 }],
    ["maxRetries", { maxRetries: 1000 }]
  ])("%s that is no such number", (name, options) => {
    expect(() => createClient({ ...working, ...options })).toThrow(new RegExp(`^${name} must be a`, "u"))
  })
})

const urlSent = async (baseUrl: string): Promise<string> => {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json({}))
  await createClient({ ...working, baseUrl, fetch }).account.whoami()
  return fetch.mock.calls[0]?.[0] ?? ""
}

it.each([
  ["https://pay.example", "https://pay.example/v1/whoami"],
  ["https://pay.example/v1", "https://pay.example/v1/whoami"],
  ["https://pay.example/api/v1/", "https://pay.example/api/v1/whoami"],
  ["https://pay.example/api/", "https://pay.example/api/v1/whoami"],
  ["HTTPS://Pay.Example:8443/a/b//", "https://pay.example:8443/a/b/v1/whoami"],
  ["http://localhost:3000", "http://localhost:3000/v1/whoami"],
  ["http://shop.localhost", "http://shop.localhost/v1/whoami"],
  ["http://127.3.2.1:3000/api", "http://127.3.2.1:3000/api/v1/whoami"],
  ["http://[::1]:3000", "http://[::1]:3000/v1/whoami"]
])("base address %s leads to %s", async (baseUrl, url) => {
  expect(await urlSent(baseUrl)).toBe(url)
})

describe("a call is refused before anything is sent", () => {
  const fetch = vi.fn(async () => Response.json({}))
  const client = createClient({ ...working, fetch })
  afterEach(() => expect(fetch).not.toHaveBeenCalled())

  it.each(["", " ", "kéy", "a\nb", "x".repeat(256)])("with the idempotency key %j", async (idempotencyKey) => {
    await expect(client.refunds.create({ reference: "r" }, { idempotencyKey })).rejects.toThrow(UsageError)
  })

  it("with a body that JSON cannot say", async () => {
    const big: object = { reference: "r", amount: 5n }
    await expect(client.refunds.create(big)).rejects.toThrow(/cannot be written as JSON/u)
  })

  it("with limits that are none", async () => {
    await expect(client.account.whoami({ timeoutMillis: -1 })).rejects.toThrow(/timeoutMillis/u)
    await expect(client.refunds.list({}, { maxRetries: 99 })).rejects.toThrow(/maxRetries/u)
  })
})

describe("an answer that is not the service's", () => {
  const answering = (answer: () => Response) => createClient({ ...working, maxRetries: 0, fetch: async () => answer() })

  it("is not read forever", async () => {
    let sent = 0
    const chunk = new Uint8Array(1024 * 1024).fill(32)
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      sent += 1
      if (sent > 64) controller.close()
      else controller.enqueue(chunk)
    }
    const headers = { "content-type": "application/json" }
    const client = answering(() => new Response(new ReadableStream({ pull }), { headers }))
    await expect(client.refunds.create({ reference: "r" })).rejects.toMatchObject({
      status: 200,
      message: expect.stringContaining("too long"),
      mayHaveTakenEffect: true
    })
    expect(sent).toBeLessThan(20)
  })

  it.each([
    ["lists in lists", "[".repeat(1_000_000)],
    ["objects in objects", '{"a":'.repeat(1_000_000)],
    ["items", `[${"0,".repeat(1_000_000)}0]`]
  ])("is not parsed if it has more %s than any answer", async (_, text) => {
    const parse = vi.spyOn(JSON, "parse")
    const client = answering(() => new Response(text, { headers: { "content-type": "application/json" } }))
    await expect(client.refunds.create({ reference: "r" })).rejects.toMatchObject({
      message: expect.stringContaining("larger than any response"),
      mayHaveTakenEffect: true
    })
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  it("leaves open whether a refund was made if it says success in another form", async () => {
    const page = () => new Response("<p>ok", { status: 200, headers: { "content-type": "text/html" } })
    await expect(answering(page).refunds.create({ reference: "r" })).rejects.toMatchObject({ mayHaveTakenEffect: true })
    const moved = () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example" } })
    await expect(answering(moved).refunds.create({ reference: "r" })).rejects.toMatchObject({
      mayHaveTakenEffect: false
    })
  })

  it("changes no object but its own", async () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"name":"n"}'
    const client = answering(() => new Response(text, { headers: { "content-type": "application/json" } }))
    expect((await client.account.whoami()).name).toBe("n")
    expect(Reflect.get({}, "polluted")).toBeUndefined()
  })
})

describe("where it runs", () => {
  afterEach(() => vi.unstubAllGlobals())

  it("is no page", () => {
    vi.stubGlobal("document", {})
    expect(() => createClient(working)).toThrow(
      /This runs in a browser.*could read the secret key and refund in your name/u
    )
  })

  it("is no browser's worker, but may be a server's that has some of its globals", () => {
    const importScripts = () => {}
    expect(() => assertBackend({ importScripts, location: {} })).toThrow(UsageError)
    expect(() => assertBackend({ importScripts })).not.toThrow()
    expect(() => assertBackend({ location: {} })).not.toThrow()
  })
})

it("uses the fetch that is there when it calls", async () => {
  const client = createClient(working)
  vi.stubGlobal("fetch", async () => Response.json({ name: "replaced" }))
  expect((await client.account.whoami()).name).toBe("replaced")
  vi.unstubAllGlobals()
})

describe("the API key", () => {
  const printed = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: true }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? `${value.stack} ${value.message} ${JSON.stringify(Object.entries(value))}` : ""
    ].join("\n")

  const failing = async (fetch: ClientOptions["fetch"]): Promise<unknown> => {
    const logged: Array<unknown> = []
    const client = createClient({ ...working, fetch, maxRetries: 1, onRetry: (retry) => void logged.push(retry) })
    const call = client.refunds.create({ reference: "r" }, { deadlineMillis: 5_000 })
    return [
      await call.then(
        () => expect.fail("succeeded"),
        (error: unknown) => error
      ),
      ...logged
    ]
  }

  it("is in nothing that the client shows of itself", async () => {
    const client: Client = createClient(working)
    expect(printed(client)).not.toContain("CANARY")
    expect(printed(client.refunds)).not.toContain("CANARY")
    expect(printed(client.refunds.create)).not.toContain("CANARY")
  })

  const secretive: ReadonlyArray<readonly [string, NonNullable<ClientOptions["fetch"]>]> = [
    [
      "that holds the request",
      async (url, init) => {
        throw Object.assign(new Error("failed"), { config: { url, init }, cause: { init } })
      }
    ],
    [
      "whose texts quote the request",
      async (_url, init) => {
        const quoted = new Headers(init.headers).get("authorization")
        throw new TypeError(`bad header ${quoted}`, {
          cause: Object.assign(new Error(`${quoted}`), { code: `${quoted}` })
        })
      }
    ],
    ["that is the key itself", (_url, init) => Promise.reject(new Headers(init.headers).get("authorization"))]
  ]

  it.each(secretive)("is in no runtime error: %s", async (_what, fetch) => {
    const error = await failing(fetch)
    expect(printed(error)).not.toContain("CANARY")
    expect(printed(error)).toContain("ConnectionFailed")
  })

  it("is in no error of an answer that quotes the request", async () => {
    const error = await failing(async (_url, init) => {
      const quoted = JSON.stringify(init.headers)
      return new Response(`<pre>${quoted}</pre>`, { status: 400, headers: { "content-type": "text/html" } })
    })
    expect(printed(error)).not.toContain("CANARY")
  })

  it("is said in an error by its kind alone, if the runtime quotes it", async () => {
    const [error] = (await failing(secretive[1]?.[1])) as [SuretyError]
    expect(error).toBeInstanceOf(SuretyError)
    expect(error.message).toContain("bad header Bearer sk_live_…")
  })
})
