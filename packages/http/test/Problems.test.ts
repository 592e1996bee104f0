import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface, makeLiveKey, makeMerchant, makePayment, refund } from "./Interface.js"

const api = makeInterface()

const json = { "content-type": "application/json" }

describe("a problem", () => {
  it("has the members of RFC 9457, a stable code, and the request's id", async () => {
    const answer = await api.send("GET", "/merchants/nobody", { headers: { "x-request-id": "mine-1" } })
    expect(answer.body).toEqual({
      type: "https://pay.example/service/docs/errors#merchant_not_found",
      title: "Merchant not found",
      status: 404,
      detail: "Check the merchant's id.",
      instance: "/merchants/nobody",
      code: "merchant_not_found",
      requestId: "mine-1"
    })
    expect(answer.headers.get("x-request-id")).toBe("mine-1")
  })

  it("names an unknown parameter, but not its value", async () => {
    const { body, text } = await api.send("GET", "/merchants/nobody?x=secret")
    expect(body).toMatchObject({ instance: "/merchants/nobody", errors: [{ parameter: "x" }] })
    expect(text).not.toContain("secret")
  })

  it.each(["has space", "x".repeat(129), "semi;colon", "é"])("does not keep a request id such as %s", async (sent) => {
    const answer = await api.send("GET", "/nowhere", { headers: { "x-request-id": encodeURI(sent) } })
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"))
  })

  it("has a request id of its own on a success too", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/refunds", { key, headers: { "x-request-id": "a.b_c-1" } })
    expect(answer.headers.get("x-request-id")).toBe("a.b_c-1")
  })
})

describe("the log's line of a refused request", () => {
  const lineOf = (requestId: string) =>
    api.lines.map((line) => JSON.parse(line)).find(({ annotations }) => annotations?.requestId === requestId)

  it("has the problem's code, and a success has none", async () => {
    const { id, key } = await makeMerchant(api)
    await api.send("POST", "/v1/refunds", { key, headers: { "x-request-id": "log-1" }, body: {} })
    expect(lineOf("log-1").annotations).toMatchObject({ status: 400, code: "validation_failed", merchantId: id })
    await api.send("GET", "/v1/refunds", { headers: { "x-request-id": "log-2" } })
    expect(lineOf("log-2").annotations).toMatchObject({ status: 401, code: "missing_api_key" })
    await api.send("GET", "/v1/refunds", { key, headers: { "x-request-id": "log-3" } })
    expect(lineOf("log-3").annotations).not.toHaveProperty("code")
  })
})

describe("an unknown path or method", () => {
  it.each(["/", "/nowhere", "/v2/refunds", "/healthz/x", "/operators"])("answers 404 for %s", async (path) => {
    expect((await api.send("GET", path)).body).toMatchObject({ status: 404, code: "route_not_found" })
  })

  it.each([
    ["PUT", "/merchants", "POST"],
    ["POST", "/healthz", "GET, HEAD"],
    ["DELETE", "/openapi.json", "GET, HEAD"],
    ["PUT", "/merchants/x/webhooks/y", "GET, PATCH, DELETE, HEAD"],
    ["OPTIONS", "/merchants/x/api-keys", "GET, POST, HEAD"]
  ])("answers 405 with Allow for %s %s", async (method, path, allow) => {
    const answer = await api.send(method, path)
    expect(answer.body).toMatchObject({ status: 405, code: "method_not_allowed" })
    expect(answer.headers.get("allow")).toBe(allow)
  })

  it.each([
    "/Operator/merchants",
    "//operator/merchants",
    "/operator/merchants/",
    "/operator//merchants",
    "/OPENAPI.json"
  ])("answers 404 for another spelling of a path: %s", async (path) => {
    expect((await api.send("GET", path, asOperator)).body.code).toBe("route_not_found")
  })

  it("is shown to no one without a key", async () => {
    for (const [method, path] of [
      ["GET", "/v1/nowhere"],
      ["PUT", "/v1/refunds"]
    ] as const) {
      expect((await api.send(method, path)).body.code).toBe("missing_api_key")
    }
    for (const [method, path] of [
      ["GET", "/operator/nowhere"],
      ["PUT", "/operator/merchants"]
    ] as const) {
      expect((await api.send(method, path)).body.code).toBe("missing_operator_token")
    }
    const { key } = await makeMerchant(api)
    expect((await api.send("GET", "/v1/nowhere", { key })).body.code).toBe("route_not_found")
    const put = await api.send("PUT", "/v1/refunds", { key })
    expect([put.body.code, put.headers.get("allow")]).toEqual(["method_not_allowed", "GET, POST, HEAD"])
    expect((await api.send("PUT", "/operator/merchants", asOperator)).body.code).toBe("method_not_allowed")
  })
})

describe("content negotiation", () => {
  it.each(["text/html", "application/xml, text/plain", "application/json;q=0"])(
    "refuses Accept: %s",
    async (accept) => {
      const { key } = await makeMerchant(api)
      const answer = await api.send("GET", "/v1/whoami", { key, headers: { accept } })
      expect(answer.body).toMatchObject({ status: 406, code: "not_acceptable" })
    }
  )

  it.each(["*/*", "application/*", "text/html, application/json;q=0.5", "application/problem+json"])(
    "takes Accept: %s",
    async (accept) => {
      const { key } = await makeMerchant(api)
      expect((await api.send("GET", "/v1/whoami", { key, headers: { accept } })).status).toBe(200)
    }
  )

  it.each([
    ["text/plain", {}],
    ["application/x-www-form-urlencoded", {}],
    ["application/json; charset=latin1", {}],
    ["application/json-patch+json", {}],
    ["application/json", { "content-encoding": "gzip" }]
  ])("refuses a body of %s %o", async (type, headers) => {
    const answer = await api.send("POST", "/merchants", { raw: "{}", headers: { "content-type": type, ...headers } })
    expect(answer.body).toMatchObject({ status: 415, code: "unsupported_media_type" })
  })

  it("refuses a body without a type", async () => {
    const raw = new TextEncoder().encode("{}")
    const answer = await api.send("POST", "/merchants", { raw, headers: { "content-type": "" } })
    expect(answer.body.code).toBe("unsupported_media_type")
  })

  it.each(["application/json;charset=UTF-8", 'Application/JSON; charset="utf-8"'])("takes %s", async (type) => {
    const raw = JSON.stringify(application)
    const answer = await api.send("POST", "/merchants", { raw, headers: { "content-type": type } })
    expect(answer.status).toBe(201)
  })
})

describe("a body", () => {
  it.each([
    ["nothing where something is needed", ""],
    ["no JSON", "{"],
    ["two documents", "{} {}"],
    ["a single-quoted text", "{'a':1}"],
    ["a raw control character in a string", '{"name":"a\nb"}'],
    ["a field twice", '{"name":"a","name":"b"}'],
    ["a field twice, once escaped", '{"name":"a","\\u006eame":"b"}'],
    ["a field twice deep inside", '{"a":{"b":[{"c":1,"c":2}]}}'],
    ["NaN", '{"amount":NaN}']
  ])("is refused as invalid JSON: %s", async (_, raw) => {
    const answer = await api.send("POST", "/merchants", { raw, headers: json })
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_json" })
  })

  it.each([[[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]], [[0x22, 0xed, 0xa0, 0x80, 0x22]], [[0x22, 0xc0, 0xaf, 0x22]]])(
    "is refused when it is not UTF-8: %o",
    async (bytes) => {
      const answer = await api.send("POST", "/merchants", { raw: Uint8Array.from(bytes), headers: json })
      expect(answer.body).toMatchObject({ status: 400, code: "invalid_json", detail: "The body is not valid UTF-8." })
    }
  )

  it("may be nested 32 deep, and no deeper", async () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    const deepest = await api.send("POST", "/merchants", { raw: nested(32), headers: json })
    expect(deepest.body.code).toBe("validation_failed")
    const deeper = await api.send("POST", "/merchants", { raw: nested(33), headers: json })
    expect(deeper.body.code).toBe("json_too_deep")
    const abyss = await api.send("POST", "/merchants", { raw: nested(100_000), headers: json })
    expect(abyss.body.code).toBe("json_too_deep")
  })

  it.each([
    ["a NUL", "\\u0000"],
    ["a lone high surrogate", "\\ud800"],
    ["a lone low surrogate", "x\\udc00y"]
  ])("with %s in a string is refused at its place", async (_, escaped) => {
    const raw = JSON.stringify({ ...application, name: "X" }).replace('"X"', `"${escaped}"`)
    const answer = await api.send("POST", "/merchants", { raw, headers: json })
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_characters", errors: [{ pointer: "#/name" }] })
  })

  it("with a NUL in a field's name is refused", async () => {
    const answer = await api.send("POST", "/merchants", { raw: '{"a\\u0000b":1}', headers: json })
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ pointer: "#/a%00b", code: "invalid_characters" })
    )
  })

  it("with a proper surrogate pair is taken", async () => {
    const raw = JSON.stringify({ ...application, name: "X" }).replace('"X"', '"\\ud83d\\ude00"')
    const answer = await api.send("POST", "/merchants", { raw, headers: json })
    expect(answer.body.name).toBe("😀")
  })

  it("cannot set a prototype", async () => {
    const raw = '{"__proto__":{"name":"x"},"constructor":1}'
    const answer = await api.send("POST", "/merchants", { raw, headers: json })
    const unknown = answer.body.errors.filter(({ code }: { readonly code: string }) => code === "unknown_field")
    expect(unknown.map(({ pointer }: { readonly pointer: string }) => pointer)).toEqual([
      "#/__proto__",
      "#/constructor"
    ])
    expect(({} as { readonly name?: string }).name).toBeUndefined()
  })

  it.each(["999999999999.99999", "10.0000000000000001", "123456789012345678", "1.00000000000000001e2"])(
    "with a number that a double cannot hold is refused: %s",
    async (number) => {
      const { key, serviceId } = { ...(await makeMerchant(api)), serviceId: "SR1-K7QM-WX4T-A" }
      const raw = `{"service_id":"${serviceId}","amount":${number}}`
      const answer = await api.send("POST", "/v1/test-helpers/payments", { key, raw, headers: json })
      expect(JSON.stringify(answer.body.errors)).toContain("amount_precision")
    }
  )

  it.each(["1.50000000000000000000", "0.10", "100000000000.00", "1e2"])(
    "with a number that is only written long is taken: %s",
    async (number) => {
      const { key } = await makeMerchant(api)
      const { transactionId } = await makePayment(api, key, { amount: 900_000_000_000 })
      const raw = `{"transaction_id":"${transactionId}","amount":${number}}`
      const answer = await api.send("POST", "/v1/refunds", {
        key,
        raw,
        headers: { ...json, "idempotency-key": number }
      })
      expect(answer.body.amount).toBe(Number(number))
    }
  )

  it("may have 256 KiB, and no more", async () => {
    const padded = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`
    const largest = await api.send("POST", "/merchants", { raw: padded(256 * 1024), headers: json })
    expect(largest.status).toBe(400)
    const larger = await api.send("POST", "/merchants", { raw: padded(256 * 1024 + 1), headers: json })
    expect(larger.body).toMatchObject({ status: 413, code: "body_too_large" })
  })

  it("is refused while it streams in, not after", async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      }
    })
    const answer = await api.send("POST", "/merchants", { raw: endless, headers: json })
    expect(answer.body).toMatchObject({ status: 413, code: "body_too_large" })
    expect(answer.headers.get("connection")).toBe("close")
    expect(pulled).toBeLessThan(10)
  })

  it("is refused unread if its length is declared", async () => {
    const answer = await api.send("POST", "/merchants", {
      raw: "{}",
      headers: { ...json, "content-length": "99999999" }
    })
    expect(answer.body.code).toBe("body_too_large")
  })

  it("with very many faults gets at most 100 of them", async () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1]))
    const answer = await api.send("POST", "/merchants", { body })
    expect(answer.body.errors).toHaveLength(100)
  })

  it("with a monstrous field name gets a short pointer", async () => {
    const answer = await api.send("POST", "/merchants", { body: { ...application, ["ä/~#".repeat(9999)]: 1 } })
    expect(answer.body.code).toBe("unknown_field")
    expect(answer.body.errors[0].pointer).toMatch(/^#\/%C3%A4~1~0%23/)
    expect(answer.body.errors[0].pointer.length).toBeLessThan(600)
  })
})

describe("a url", () => {
  it("may not be longer than 4,096 characters", async () => {
    const answer = await api.send("GET", `/v1/refunds?cursor=${"x".repeat(4096)}`)
    expect(answer.body).toMatchObject({ status: 414, code: "uri_too_long" })
  })

  it.each(["/v1/refunds?transaction_id=a%00b", "/v1/refunds/%00"])("may not have a NUL: %s", async (path) => {
    const { key } = await makeMerchant(api)
    expect((await api.send("GET", path, { key })).body).toMatchObject({ status: 400, code: "invalid_characters" })
  })

  it.each(["/v1/refunds/%zz", "/v1/refunds/%ff", `/v1/refunds/${"x".repeat(2000)}`])(
    "that is odd names nothing: %s",
    async (path) => {
      const { key } = await makeMerchant(api)
      const { body } = await api.send("GET", path, { key })
      expect([body.status, body.code.endsWith("_not_found")]).toEqual([404, true])
    }
  )
})

describe("refusals come in this order", () => {
  const badForm = { raw: "{", headers: { "content-type": "text/plain", accept: "text/html" } }

  it("first the key, before anything else is looked at", async () => {
    expect((await api.send("POST", "/v1/refunds", badForm)).body.code).toBe("missing_api_key")
    const key = "sk_test_nonsense"
    expect((await api.send("POST", "/v1/refunds", { ...badForm, key })).body.code).toBe("invalid_api_key")
  })

  it("then the merchant's status, then form, then replay, then rules", async () => {
    const { id, key } = await makeMerchant(api)
    const live = await makeLiveKey(api, id)
    const { transactionId } = await makePayment(api, key)
    const setStatus = (status: string) =>
      api.send("POST", `/operator/merchants/${id}/status`, { ...asOperator, body: { status } })
    await setStatus("SUSPENDED")
    expect((await api.send("POST", "/v1/refunds", { ...badForm, key: live })).body.code).toBe("merchant_not_active")
    expect((await api.send("POST", "/v1/refunds", { ...badForm, key })).body.code).toBe("not_acceptable")
    const body = { transaction_id: transactionId }
    await refund(api, key, body, "order")
    expect((await refund(api, key, { ...body, amount: -1 }, "order")).body.code).toBe("validation_failed")
    expect((await refund(api, key, body, "order")).status).toBe(201)
    expect((await refund(api, key, body, "other")).body.code).toBe("already_refunded")
  })

  it("the operator's token before the operator's forms", async () => {
    const path = "/operator/merchants/x/status"
    expect((await api.send("POST", path, badForm)).body.code).toBe("missing_operator_token")
    const wrong = await api.send("POST", path, { ...badForm, key: "operator-token-for-testz" })
    expect(wrong.body).toMatchObject({ status: 401, code: "invalid_operator_token" })
    expect(wrong.headers.get("www-authenticate")).toBe("Bearer")
  })
})

describe("the log", () => {
  it("has a line for each answer, with what is needed to find it and nothing that was sent", async () => {
    const { id, key } = await makeMerchant(api)
    await refund(api, key, { transaction_id: "payment_x", reason: "personal words" })
    const line = JSON.parse(api.lines.at(-1) ?? "{}")
    expect(line).toMatchObject({
      level: "INFO",
      annotations: { method: "POST", route: "/v1/refunds", status: 404, ms: expect.any(Number), merchantId: id }
    })
    const everything = api.lines.join("\n")
    for (const secret of [key, "personal words", application.contactEmail, application.contactName]) {
      expect(everything).not.toContain(secret)
    }
  })
})
