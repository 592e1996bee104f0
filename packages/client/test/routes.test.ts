import { examples } from "@surety/http/docs/examples"
import { describe, expect, it } from "vitest"
import { createClient } from "../src/index.js"
import { merchantOperations } from "./interface/MerchantInterface.js"

const apiKey = "sk_test_0123456789"
const sent: Array<{ readonly url: URL; readonly init: RequestInit }> = []

const client: Readonly<Record<string, object>> = {
  ...createClient({
    apiKey,
    baseUrl: "https://pay.example/api/",
    fetch: async (url, init) => {
      sent.push({ url: new URL(url), init })
      return Response.json({ data: [] }, { status: init.method === "GET" ? 200 : 201 })
    }
  })
}

/** Client methods that call operations but are not operations themselves. */
const composed = new Set(["refunds.waitUntilSettled", "verifications.waitUntilSettled", "verifications.waitFor"])

const methods = Object.entries(client).flatMap(([group, of]) => Object.keys(of).map((name) => `${group}.${name}`))

it("every method is an operation of the interface, and every operation a method", () => {
  const operations = merchantOperations.map(({ id }) => id)
  expect(methods.filter((name) => !composed.has(name)).sort()).toEqual(operations.sort())
})

const call = async (id: string, args: ReadonlyArray<unknown>) => {
  const [group = "", name = ""] = id.split(".")
  const method: unknown = Reflect.get(client[group] ?? {}, name)
  if (typeof method !== "function") return expect.fail(`the client has no ${id}`)
  sent.length = 0
  await method(...args)
  return sent[0] ?? expect.fail("nothing was sent")
}

describe.each(merchantOperations)("$id", ({ id, keyed, method, operation, path }) => {
  const parameters = (operation.parameters ?? []).flatMap((it) => ("name" in it ? [it] : []))
  const inPath = parameters.filter((it) => it.in === "path").map(({ name }) => name)
  const inQuery = parameters.filter((it) => it.in === "query").map(({ name }) => name)
  const body: object | undefined = Object(examples[id]?.request ?? {})

  it("is sent as the interface's definition says", async () => {
    const query = Object.fromEntries(inQuery.map((name) => [name, `${name} & more`]))
    const args = [...inPath.map((name) => `${name}/1`), ...(inQuery.length > 0 ? [query] : body ? [body] : [])]
    const { init, url } = await call(id, args)
    const filled = path.replace(/\{(\w+)\}/gu, (_, name: string) => `${name}%2F1`)
    expect([init.method, url.origin + url.pathname]).toEqual([method, `https://pay.example/api${filled}`])
    expect(Object.fromEntries(url.searchParams)).toEqual(query)
    if (Object.keys(body ?? {}).length > 0) expect(JSON.parse(String(init.body))).toEqual(body)
    else expect(init.body).toBeUndefined()
    const headers = new Headers(init.headers)
    expect(headers.get("authorization")).toBe(`Bearer ${apiKey}`)
    expect(headers.get("user-agent")).toBe("Service-Client/1.0")
    expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/u)
    expect(headers.get("content-type")).toBe(init.body === undefined ? null : "application/json")
    expect(headers.has("idempotency-key")).toBe(keyed)
    expect(init.redirect).toBe("manual")
  })

  it.each(inPath.length === 0 ? [] : ["", ".", "..", undefined, 7])("takes no id that is %j", async (wrong) => {
    await expect(call(id, [wrong])).rejects.toThrow(/must be a record's id/u)
    expect(sent).toEqual([])
  })
})
