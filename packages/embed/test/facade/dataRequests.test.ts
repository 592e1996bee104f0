import { unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

describe("A data request of a host's merchant", () => {
  it("that repeats a pending one is returned with the return url and state that are now stored", async () => {
    const surety = await makeSurety()
    const { customer, merchant, scope } = await makeSale(surety, "returning")
    const { id: merchantId } = merchant
    const returnUrls = ["https://shop.example/orders"]
    unwrap(await surety.merchants.changeSettings({ merchantId, settings: { returnUrls } }))
    const asked = { ...scope, serviceId: customer.serviceId, requestedFields: ["email"] } as const
    const ask = async (idempotencyKey: string, returning: { returnUrl?: string; state?: string }) => {
      const made = unwrap(await surety.dataRequests.create({ ...asked, idempotencyKey, ...returning }))
      const { returnUrl, state } = unwrap(await surety.dataRequests.get({ ...scope, dataRequestId: made.id }))
      assert.deepStrictEqual([made.returnUrl, made.state], [returnUrl, state], "as stored")
      return [made.id, returnUrl, state]
    }
    const [id] = await ask("ask-1", { returnUrl: "https://shop.example/orders/1", state: "one" })
    const second = await ask("ask-2", { returnUrl: "https://shop.example/orders/2", state: "two" })
    assert.deepStrictEqual(second, [id, "https://shop.example/orders/2", "two"])
    assert.deepStrictEqual(await ask("ask-3", {}), second)
    const last = await ask("ask-4", { returnUrl: "https://shop.example/orders" })
    assert.deepStrictEqual(last, [id, "https://shop.example/orders", undefined])
  })

  it.each(["REJECTED", "CLOSED"] as const)("is refused while the merchant is %s, but for a replay", async (status) => {
    const surety = await makeSurety()
    const { customer, merchant, scope } = await makeSale(surety, `ended ${status}`)
    const asked = { ...scope, serviceId: customer.serviceId, requestedFields: ["email"] } as const
    const { id } = unwrap(await surety.dataRequests.create({ ...asked, idempotencyKey: "before" }))
    unwrap(await surety.merchants.changeStatus({ merchantId: merchant.id, status, reason: "The end" }))
    const refused = await surety.dataRequests.create({ ...asked, idempotencyKey: "after" })
    assert.strictEqual(refused.ok ? refused.value.id : refused.error._tag, "MerchantNotActive")
    const other = await surety.dataRequests.create({ ...asked, requestedFields: ["country"], idempotencyKey: "other" })
    assert.strictEqual(other.ok ? other.value.id : other.error._tag, "MerchantNotActive")
    const replayed = unwrap(await surety.dataRequests.create({ ...asked, idempotencyKey: "before" }))
    assert.deepInclude(replayed, { id, replayed: true })
  })
})
