import { describe, expect, it } from "vitest"
import { document, operations } from "./Contract.js"
import { asOperator, makeConsumer, makeInterface, makeMerchant } from "./Interface.js"
import { workedMillis } from "./workedMillis.js"

/**
 * Limit on the CPU time of one request, in milliseconds. A pattern that is retried from every position takes time
 * quadratic in the string's length.
 */
const answeredWithinMillis = 2_000
const length = 25_000

const api = makeInterface()

/** Long repetitive strings, most ending in a different character. Backtracking patterns are slow on them. */
const crafted: ReadonlyArray<readonly [name: string, text: string]> = [
  ["letters", `${"a".repeat(length)}!`],
  ["digits", `${"1".repeat(length)}!`],
  ["zeros", `1${"0".repeat(length)}1`],
  ["spaces", `a${" ".repeat(length)}a`],
  ["line ends", `a${"\r\n".repeat(length / 2)}a`],
  ["slashes", `http://a${"/".repeat(length)}a`],
  ["dots", `a@${"a.".repeat(length / 2)}`],
  ["labels", `a@${"a-".repeat(length / 2)}`],
  ["equals signs", `/9j/${"=".repeat(length)}a`],
  ["data", `data:image/${"a+".repeat(length / 2)}`],
  ["accents", `a${"\u0301".repeat(length)}!`],
  ["the", "the ".repeat(length / 4)],
  ["hyphens", `SR1${"-".repeat(length)}`],
  ["quotes", `"${'\\"'.repeat(length / 2)}`],
  ["times", `2026-01-01T00:00:00.${"0".repeat(length)}Z`]
]

interface JsonSchema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly type?: string
}

const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]

const filled = (schema: JsonSchema, text: string): unknown => {
  const { properties, type } = resolved(schema)
  if (properties !== undefined) {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, filled(field, text)]))
  }
  return type === "array" ? [text] : text
}

const withBodies = operations.flatMap(({ method, operation, path }) => {
  const [media] = Object.values(operation.requestBody?.content ?? {})
  return media === undefined ? [] : [{ method, path, schema: media.schema as JsonSchema }]
})

describe("A long text in every field is refused as fast as a short one", () => {
  it.each(withBodies)("$method $path", async ({ method, path, schema }) => {
    const merchant = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, merchant.key)
    const url = path
      .replace("{merchantId}", merchant.id)
      .replace("{serviceId}", serviceId)
      .replace(/\{\w+\}/g, "x")
    const key = path.startsWith("/operator/") ? asOperator.key : merchant.key
    for (const [name, text] of crafted) {
      const millis = await workedMillis(async () => {
        const body = filled(schema, text)
        const answer = await api.send(method, url, { key, body, headers: { "idempotency-key": "long" } })
        expect(answer.status, name).toBeLessThan(500)
      })
      expect(millis, name).toBeLessThan(answeredWithinMillis)
    }
  })

  it("also if it is a number, or in a header", async () => {
    const { key } = await makeMerchant(api)
    for (const number of [`1${"0".repeat(length)}1`, `0.${"0".repeat(length)}1`, `1e${"0".repeat(length)}1`]) {
      const raw = `{"transaction_id":"x","amount":${number}}`
      const headers = { "content-type": "application/json", "idempotency-key": "long" }
      const millis = await workedMillis(async () => {
        expect((await api.send("POST", "/v1/refunds", { key, raw, headers })).status).toBeLessThan(500)
      })
      expect(millis).toBeLessThan(answeredWithinMillis)
    }
    for (const name of ["accept", "authorization", "content-type", "idempotency-key", "x-request-id", "traceparent"]) {
      for (const [, text] of crafted) {
        if (/[^\x20-\x7e]/.test(text)) continue
        const sending = { key, body: { transaction_id: "x" }, headers: { "idempotency-key": "long", [name]: text } }
        const millis = await workedMillis(async () => {
          expect((await api.send("POST", "/v1/refunds", sending)).status).toBeLessThan(500)
        })
        expect(millis, name).toBeLessThan(answeredWithinMillis)
      }
    }
  })
})
