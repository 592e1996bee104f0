import { maxFaults } from "@surety/core/input/InputFault"
import { JsonReader } from "@surety/http/form/JsonReader"
import { readJson } from "@surety/http/form/JsonText"
import { Result } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type Interface, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const mebibyte = 1024 * 1024
const headers = { "content-type": "application/json", "idempotency-key": "hostile" }

const many = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join()

const excessive = [
  ["json_too_deep", "lists in lists", "[".repeat(8 * mebibyte) + "]".repeat(8 * mebibyte)],
  ["json_too_deep", "objects in objects", '{"a":'.repeat(100_000)],
  ["invalid_json", "fields", `{${many(1_000_000, (index) => `"${index}":0`)}}`],
  ["invalid_json", "items", `[${"0,".repeat(4 * mebibyte)}0]`]
] as const

const streamed = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  const sent = { pieces: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const at = sent.pieces * 64 * 1024
      if (at >= bytes.length) return controller.close()
      sent.pieces += 1
      controller.enqueue(bytes.subarray(at, at + 64 * 1024))
    }
  })
  return { body, sent }
}

const send = (it: Interface, key: string, path: string, text: string) => {
  const { body, sent } = streamed(text)
  return it.send("POST", path, { key, raw: body, headers }).then((answer) => ({ answer, sent }))
}

describe("A body beyond the bounds", () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(excessive)("is %s, and no value is built of its %s", (code, _, text) => {
    const build = vi.spyOn(JsonReader.prototype, "read")
    readJson("[]")
    expect(build).toHaveBeenCalledOnce()
    const read = readJson(text)
    expect(Result.isFailure(read) && read.failure.code).toBe(code)
    expect(build).toHaveBeenCalledOnce()
  })

  it.each(excessive)("is %s while it streams in, and the rest of its %s is left unread", async (code, _, text) => {
    const { key } = await makeMerchant(api)
    for (const path of ["/v1/kyc/verifications", "/v1/refunds"]) {
      const { answer, sent } = await send(api, key, path, text)
      expect(answer.body).toMatchObject({ status: 400, code })
      expect(answer.headers.get("connection")).toBe("close")
      expect(sent.pieces).toBeLessThan(6)
    }
  })

  it("leaves the connection open if all of it has arrived", async () => {
    const { key } = await makeMerchant(api)
    const raw = "[".repeat(40_000)
    const all = { ...headers, "content-length": String(raw.length) }
    const answer = await api.send("POST", "/v1/refunds", { key, raw, headers: all })
    expect(answer.body.code).toBe("json_too_deep")
    expect(answer.headers.get("connection")).toBeNull()
  })
})

/** Returns the number of values in a JSON value, including the value itself. */
const partsOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, part) => sum + partsOf(part), 1)
    : 1

describe("A body of thousands of faults", () => {
  afterEach(() => vi.restoreAllMocks())

  const unknown = many(9_000, (index) => `"unknown_field_${index}":0`)

  it.each([
    ["unknown fields", "/v1/refunds", `{${unknown}}`],
    ["unknown fields of a field", "/v1/kyc/verifications", `{"validation":{${unknown}}}`],
    ["faulty items", "/v1/refunds", `{"items":[${many(4_000, () => '{"a":0}')}]}`]
  ])("of %s gets the first 100, without work for the others", async (_, path, raw) => {
    const { key } = await makeMerchant(api)
    const build = vi.spyOn(JsonReader.prototype, "read")
    const answer = await api.send("POST", path, { key, raw, headers })
    expect(build).toHaveBeenCalledOnce()
    expect(answer.body).toMatchObject({
      status: 400,
      code: "validation_failed",
      detail: "The request has more than 100 faults; errors lists the first 100."
    })
    expect(answer.body.errors).toHaveLength(100)
    // Surplus fields and items are skipped: no values are built for them. `npx pnpm bench json` measures the time.
    expect(partsOf(build.mock.results[0]?.value)).toBeLessThan(2 * maxFaults + 10)
  })

  it("keeps the faults of known fields among them", async () => {
    const { key } = await makeMerchant(api)
    const raw = `{${unknown},"amount":"1"}`
    const answer = await api.send("POST", "/v1/refunds", { key, raw, headers })
    expect(answer.body.errors).toHaveLength(100)
    expect(answer.body.errors.filter(({ code }: { code: string }) => code === "required")).toEqual([])
  })

  it("is refused although what is looked at is sound", async () => {
    const raw = JSON.stringify({
      url: "https://shop.example",
      environment: "TEST",
      topics: many(200, () => "x").split(",")
    })
    const { id } = await makeMerchant(api)
    const answer = await api.send("POST", `/merchants/${id}/webhooks`, { raw, headers })
    expect(answer.status).toBe(400)
  })
})
