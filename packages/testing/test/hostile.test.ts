import { describe, expect, it } from "@effect/vitest"
import { type HostileRequest, hostileRequests } from "@surety/testing/hostile/HostileRequests"
import { harmIn } from "@surety/testing/hostile/harm"
import { inputsOf, type OpenApiDocument } from "@surety/testing/hostile/OpenApiInputs"

const document: OpenApiDocument = {
  paths: {
    "/shops/{shopId}/orders": {
      post: {
        operationId: "order",
        parameters: [
          { name: "shopId", in: "path" },
          { name: "dry", in: "query" },
          { name: "Idempotency-Key", in: "header" }
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Order" },
              examples: { example: { value: { note: "soon", lines: [{ amount: 1 }] } } }
            }
          }
        }
      }
    }
  },
  components: {
    schemas: {
      Order: {
        properties: { note: { maxLength: 5 }, lines: { items: { $ref: "#/components/schemas/Line" } } }
      },
      Line: { properties: { amount: {}, gift: { anyOf: [{ properties: { to: {} } }, {}] } } }
    }
  }
}

const [inputs = expect.fail("there is one operation")] = inputsOf(document)

const good = { pathValues: { shopId: "shop_1" }, headers: { authorization: "Bearer key" } }

const requests = [...hostileRequests(inputs, good)]

const textOf = ({ body }: HostileRequest): string => new TextDecoder().decode(body)

const some = (matches: (request: HostileRequest) => boolean): boolean => requests.some(matches)

describe("hostile requests", () => {
  it("are made of every field, also those that are nested, in lists, or not in the example", () => {
    expect(inputs.body?.fields.map(({ path }) => path.join("/"))).toEqual([
      "note",
      "lines",
      "lines/0",
      "lines/0/amount",
      "lines/0/gift",
      "lines/0/gift/to"
    ])
    for (const text of [
      '{"note":null,"lines":[{"amount":1}]}',
      '{"note":"soon","lines":[null]}',
      '{"note":"soon","lines":[{"amount":-0}]}',
      '{"note":"soon","lines":[{"amount":12345678901234567}]}',
      '{"note":"soon","lines":[{"amount":1,"gift":{"to":"\\u0000"}}]}',
      '{"note":1,"note":2,"lines":[{"amount":1}]}',
      '{"note":"aaaaaa","lines":[{"amount":1}]}',
      '{"__proto__":{"polluted":true},"note":"soon","lines":[{"amount":1}]}'
    ]) {
      expect(some((request) => textOf(request) === text)).toBe(true)
    }
  })

  it("are made of every parameter of path, query and header, and keep the rest good", () => {
    expect(some(({ path }) => path === "/shops/%00/orders")).toBe(true)
    expect(some(({ path }) => path === "/shops/shop_1/orders?dry=%ff")).toBe(true)
    expect(some(({ headers }) => headers["idempotency-key"] === '"')).toBe(true)
    expect(some(({ headers }) => headers["content-type"] === "text/plain")).toBe(true)
    expect(requests.every(({ headers, method }) => headers.authorization === "Bearer key" && method === "POST")).toBe(
      true
    )
  })

  it("cannot be made without a value for each path parameter", () => {
    expect(() => [...hostileRequests(inputs, { ...good, pathValues: {} })]).toThrow("{shopId}")
  })

  it("cannot be made of a document that lacks a schema", () => {
    const broken = { ...document, components: { schemas: {} } }
    expect(() => inputsOf(broken)).toThrow("#/components/schemas/Order")
  })
})

describe("harm", () => {
  const secret = "sk_test_secret"

  it.each([
    [503, "{}", "the answer is 503"],
    [400, "Error: no\n    at parse (/app/x.ts:1:2)", "the answer shows a stack"],
    [400, "in node_modules/effect", "the answer shows a file"],
    [400, "select id from refund where id = 1", "the answer shows SQL"],
    [400, 'relation "refund" does not exist', "the answer shows the database"],
    [400, "SchemaError: expected string", "the answer shows the libraries"],
    [400, JSON.stringify({ detail: 'Expected "a" | "b".' }), "the answer shows a schema's own words"],
    [400, JSON.stringify({ detail: "Expected RefundRequest." }), "the answer shows a schema's own words"],
    [400, "expected [object Object]", "the answer shows an object that was not written"],
    [400, `the key ${secret} is wrong`, "the answer repeats a secret"],
    [400, "a".repeat(70_000), "the answer has 70000 characters"]
  ])("is seen in an answer: %i %s", (status, text, harm) => {
    expect(harmIn({ status, text }, [secret])).toContain(harm)
  })

  it("is not seen in a problem that says what to do", () => {
    const text =
      '{"status":400,"detail":"Send an amount in the currency, and select a method.","code":"validation_failed"}'
    expect(harmIn({ status: 400, text }, [secret])).toEqual([])
  })
})
