import { describe, expect, it } from "vitest"
import { document, operations } from "./Contract.js"
import { ask } from "./consent/Consenting.js"
import { asOperator, makeInterface, makeMerchant, makePayment, refund, verify } from "./Interface.js"

const api = makeInterface()

interface Parameter {
  readonly name: string
  readonly in: string
}

const parametersOf = ({ method, path }: (typeof operations)[number]): ReadonlyArray<Parameter> =>
  document.paths[path][method.toLowerCase()].parameters ?? []

const lists = operations.filter((route) => parametersOf(route).some(({ name }) => name === "cursor"))

/** Creates a merchant with two records in most lists, so that a page of one record has a `nextCursor`. */
const merchantWithRecords = async () => {
  const merchant = await makeMerchant(api)
  for (const amount of [1, 2]) {
    const { serviceId, transactionId } = await makePayment(api, merchant.key)
    await refund(api, merchant.key, { transaction_id: transactionId, amount })
    await verify(api, merchant.key, { service_id: serviceId })
    await ask(api, merchant.key, { service_id: serviceId, requested_fields: ["email"] })
  }
  return merchant
}

const environmentOf = (route: (typeof operations)[number]): string =>
  parametersOf(route).some(({ name }) => name === "environment") ? "&environment=TEST" : ""

const refused = { status: 400, code: "validation_failed", errors: [{ parameter: "cursor", code: "wrong_format" }] }

const garbage = ["x", "0", "-", "zzzzzzzzzzzz", "00000000", "MTIzL2FiYw", "a".repeat(512)]

describe("A list takes no cursor but its own", async () => {
  const merchant = await merchantWithRecords()
  const stranger = await merchantWithRecords()
  const books = await api.send("GET", "/operator/ledger/balances?environment=TEST&limit=1", asOperator)
  const accountId: string = books.body.data[0].id

  const read = (
    route: (typeof operations)[number],
    owner: { readonly id: string; readonly key: string },
    query: string
  ) => {
    const path = route.path.replace("{merchantId}", owner.id).replace("{accountId}", accountId)
    const sending = path.startsWith("/v1/") ? { key: owner.key } : asOperator
    return api.send("GET", `${path}?limit=1${environmentOf(route)}${query}`, sending)
  }

  const cursors = new Map<string, string>()
  for (const route of lists) {
    const { nextCursor } = (await read(route, merchant, "")).body
    if (nextCursor !== undefined) cursors.set(route.operation.operationId, nextCursor)
  }

  it("gives cursors in most lists, so that there is something to refuse", () => {
    expect(lists.length).toBeGreaterThanOrEqual(17)
    expect(cursors.size).toBeGreaterThanOrEqual(10)
  })

  it.each(lists)("$method $path", async (route) => {
    const id = route.operation.operationId
    const own = cursors.get(id)
    if (own !== undefined) {
      const next = await read(route, merchant, `&cursor=${own}`)
      expect([next.status, next.body.data?.length], next.text).toEqual([200, 1])
      for (const changed of [
        `${own}A`,
        own.slice(1),
        own.slice(0, -1),
        `${own.startsWith("0") ? 1 : 0}${own.slice(1)}`
      ]) {
        expect((await read(route, merchant, `&cursor=${changed}`)).body).toMatchObject(refused)
      }
      if (route.path.includes("{merchantId}") || route.path.startsWith("/v1/")) {
        expect((await read(route, stranger, `&cursor=${own}`)).body).toMatchObject(refused)
      }
    }
    for (const [name, cursor] of cursors) {
      if (name === id) continue
      expect([name, (await read(route, merchant, `&cursor=${cursor}`)).body]).toMatchObject([name, refused])
    }
    for (const cursor of garbage) expect((await read(route, merchant, `&cursor=${cursor}`)).body).toMatchObject(refused)
  })

  it("GET /v1/events, the oldest first, takes an event's id alone", async () => {
    for (const cursor of [...garbage, ...cursors.values()]) {
      const answer = await api.send("GET", `/v1/events?order=oldest&cursor=${cursor}`, { key: merchant.key })
      expect(answer.body).toMatchObject(refused)
    }
  })
})
