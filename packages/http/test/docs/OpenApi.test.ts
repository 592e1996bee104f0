import { examples } from "@surety/http/docs/examples"
import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { problemCodes } from "@surety/http/problem/ProblemCode"
import { describe, expect, it } from "vitest"
import { document, operations, schemaFaults } from "../Contract.js"
import { makeInterface, publicUrl } from "../Interface.js"

describe("the OpenAPI document", () => {
  it("is the one that is committed", async () => {
    const text = `${JSON.stringify(openApiDocument("http://127.0.0.1:3000"), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../../../docs/openapi.json")
  })

  it("is served, and says where the interface is reached", async () => {
    const answer = await makeInterface().send("GET", "/openapi.json")
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.body).toEqual(document)
    expect(answer.body).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" }, servers: [{ url: publicUrl }] })
  })

  it("has the problem's schema once", () => {
    const names = Object.keys(document.components.schemas)
    expect(names.filter((name) => name.startsWith("Problem"))).toEqual(["Problem"])
  })

  it("refers to nothing that it does not have", () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(String)
    )
    for (const reference of references) {
      const [, kind = "", name = ""] = reference.split(",")
      expect(document.components[kind]?.[name], reference).toBeDefined()
    }
  })

  it("says who may call each operation", () => {
    const security = (operationId: string) =>
      operations.find(({ operation }) => operation.operationId === operationId)?.operation
    expect(security("refunds.create")).toMatchObject({ security: [{ apiKey: [] }] })
    expect(security("operator.link")).toMatchObject({ security: [{ operatorToken: [] }] })
    expect(security("merchants.create")).toMatchObject({ security: [{}, { operatorToken: [] }] })
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" })
  })

  it("asks for the idempotency key where the interface does", () => {
    const withKey = operations.filter(({ operation }) => JSON.stringify(operation).includes('"Idempotency-Key"'))
    expect(withKey.map(({ operation }) => operation.operationId)).toEqual([
      "dataRequests.create",
      "refunds.create",
      "verifications.submit",
      "operatorMoney.postTransfer",
      "operatorApprovals.propose"
    ])
  })

  it("tells every code that any operation can be refused with, and only codes that there are", () => {
    const told = new Set([...JSON.stringify(document.paths).matchAll(/`([a-z_]+)`/g)].map(([, code]) => code))
    const ofNoOperation = new Set([
      ...["method_not_allowed", "not_ready", "malformed_request", "headers_too_large"],
      // Refusal on a route for vendors, not merchants.
      "callback_not_authentic"
    ])
    expect([...told].sort()).toEqual(
      Object.keys(problemCodes)
        .filter((code) => !ofNoOperation.has(code))
        .sort()
    )
  })
})

describe.each(operations)("$method $path", ({ operation }) => {
  const example = examples[operation.operationId]

  it("has an example of its answer that its schema takes", () => {
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]
    const [media] = Object.values(success?.content ?? {})
    if (media === undefined) expect(example?.response).toBeUndefined()
    else {
      expect(schemaFaults(media.schema, media.examples?.example?.value)).toEqual([])
    }
  })

  it("has an example of its request that its schema takes", () => {
    const [media] = Object.values(operation.requestBody?.content ?? {})
    if (media === undefined) expect(example?.request).toBeUndefined()
    else {
      expect(schemaFaults(media.schema, media.examples?.example?.value)).toEqual([])
    }
  })
})
