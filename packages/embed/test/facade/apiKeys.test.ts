import { unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

const publicUrl = "https://shop.example"

describe("An API key of the facade", () => {
  it("ends in the future, or is refused as over HTTP", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "1")
    const key = unwrap(await surety.apiKeys.create({ ...scope, expiresAt: "2101-01-01T00:00:00Z" }))
    const expiresAt = "2001-01-01T00:00:00Z"
    const { merchantId } = scope
    for (const refused of [
      await surety.apiKeys.create({ ...scope, expiresAt }),
      await surety.apiKeys.rotate({ merchantId, apiKeyId: key.id, expiresAt })
    ]) {
      if (refused.ok || refused.error._tag !== "InvalidInput") return assert.fail("it was not refused")
      const [fault, ...more] = refused.error.faults
      assert.deepInclude(fault, { path: ["expiresAt"], code: "expiry_past" })
      assert.isEmpty(more)
    }
    const { data: kept } = unwrap(await surety.apiKeys.list({ merchantId }))
    assert.deepStrictEqual(
      kept.map(({ id }) => id),
      [key.id]
    )
    assert.strictEqual(kept[0]?.expiresAt, "2101-01-01T00:00:00.000Z")
  })

  it("leaves what it sent in the request log, for its merchant and environment alone", async () => {
    const surety = await makeSurety({ publicUrl })
    const { scope } = await makeSale(surety, "2")
    const other = await makeSale(surety, "3")
    const { id, last4, secret } = unwrap(await surety.apiKeys.create(scope))
    const send = (path: string) =>
      surety.handler(new Request(publicUrl + path, { headers: { authorization: `Bearer ${secret}` } }))
    await send("/v1/whoami")
    await send("/v1/refunds/refund_unknown")
    const all = unwrap(await surety.requests.list(scope))
    assert.deepStrictEqual(
      all.data.map(({ route, status }) => [route, status]),
      [
        ["/v1/refunds/:refundId", 404],
        ["/v1/whoami", 200]
      ]
    )
    assert.deepInclude(all.data[0], { apiKeyId: id, keyLast4: last4, code: "refund_not_found" })
    assert.lengthOf(unwrap(await surety.requests.list({ ...scope, status: 404 })).data, 1)
    assert.lengthOf(unwrap(await surety.requests.list({ ...scope, route: "/v1/whoami" })).data, 1)
    assert.isEmpty(unwrap(await surety.requests.list({ ...scope, environment: "LIVE" })).data)
    assert.isEmpty(unwrap(await surety.requests.list(other.scope)).data)
    assert.isFalse((await surety.requests.list({ ...scope, status: 42 })).ok)
  })
})
