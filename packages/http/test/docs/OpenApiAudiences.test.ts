import { expect, it } from "vitest"
import { document, operations } from "../Contract.js"
import { makeInterface } from "../Interface.js"

const api = makeInterface()

const served = async (audience: string) => (await api.send("GET", `/openapi/${audience}.json`)).body

const operationsIn = ({ paths }: { readonly paths: Record<string, Record<string, { operationId: string }>> }) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId)

const referencesIn = (part: object): ReadonlyArray<string> =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+\/[^"]+)"/g)].map(([, name = ""]) => name)

it("merchants have what their key or no key opens, and nothing of the operator's", async () => {
  const merchant = await served("merchant")
  const names = operationsIn(merchant)
  expect(names).toEqual(expect.arrayContaining(["refunds.create", "merchants.create", "webhooks.register"]))
  expect(Object.keys(merchant.paths).filter((path) => path.startsWith("/operator"))).toEqual([])
  expect(merchant.tags.map(({ name }: { name: string }) => name)).not.toContain("Operator")
  expect(merchant.webhooks).toEqual(document.webhooks)
})

it("operators have what their token opens, and nothing of a merchant's key", async () => {
  const operator = await served("operator")
  const names = operationsIn(operator)
  expect(names).toEqual(expect.arrayContaining(["operator.link", "people.erase", "merchants.create"]))
  expect(Object.keys(operator.paths).filter((path) => path.startsWith("/v1"))).toEqual([])
  expect(Object.keys(operator.components.securitySchemes)).toEqual(["operatorToken"])
  expect(operator.webhooks).toEqual({})
})

it("both together have every operation", async () => {
  const both = new Set([...operationsIn(await served("merchant")), ...operationsIn(await served("operator"))])
  expect([...both].sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort())
})

it.each(["merchant", "operator"])(
  "the %s document has the components that it refers to, and no other",
  async (audience) => {
    const it = await served(audience)
    const held = Object.entries<Record<string, unknown>>(it.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `${kind}/${name}`))
    expect(held.sort()).toEqual([...new Set(referencesIn(it))].sort())
    expect(it.info.title).toContain(`for ${audience}s`)
    expect(it.servers).toEqual(document.servers)
  }
)
