import { unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

describe("The sandbox of the facade", () => {
  it("plays a refund's outcome and settles it", async () => {
    const surety = await makeSurety()
    const { customer, scope } = await makeSale(surety, "played")
    const { merchantId } = scope
    const paid = unwrap(
      await surety.sandbox.recordPayment({
        ...{ merchantId, userId: customer.userId, amountMinor: 5000n },
        refundOutcome: "pending"
      })
    )
    assert.deepInclude(paid, { environment: "TEST", status: "SETTLED", userId: customer.userId })
    const refund = { ...scope, idempotencyKey: "k", transactionId: paid.id }
    const outcome = await surety.refunds.create(refund)
    const { data: refunds } = unwrap(await surety.refunds.list({ ...scope, transactionId: paid.id }))
    assert.deepInclude(refunds[0], { status: "PENDING" }, JSON.stringify(outcome))
    const refundId = refunds[0]?.id ?? ""
    const settled = unwrap(await surety.sandbox.settleRefund({ merchantId, refundId, outcome: "completed" }))
    assert.deepInclude(settled, { id: refundId, status: "COMPLETED" })
    const again = await surety.sandbox.settleRefund({ merchantId, refundId, outcome: "completed" })
    assert.isTrue(!again.ok && again.error._tag === "RefundNotWaiting")
    const { userId } = customer
    const others = [
      { userId, settled: false },
      { userId, method: "BANK_TRANSFER" as const },
      { userId, method: "CARD" as const },
      {}
    ]
    for (const other of others) {
      const wrong = await surety.sandbox.recordPayment({ merchantId, amount: 5, fromBalance: true, ...other })
      assert.isTrue(!wrong.ok && wrong.error._tag === "InvalidInput", JSON.stringify(other))
    }
  })

  it("lets requests and grants expire, and moves the clock and the switch", async () => {
    const surety = await makeSurety()
    const { customer, scope } = await makeSale(surety, "expired")
    const { merchantId } = scope
    const { userId } = customer
    const asked = { ...scope, userId, idempotencyKey: "ask", requestedFields: ["email"] } as const
    const { id: dataRequestId } = unwrap(await surety.dataRequests.create(asked))
    assert.strictEqual(unwrap(await surety.sandbox.expireDataRequest({ merchantId, dataRequestId })).status, "EXPIRED")
    const grant = unwrap(await surety.grants.create({ ...scope, userId, fields: ["email"] }))
    assert.strictEqual(unwrap(await surety.sandbox.expireGrant({ merchantId, grantId: grant.id })).status, "EXPIRED")
    assert.strictEqual(unwrap(await surety.sandbox.clock({ merchantId })).advancedSeconds, 0)
    assert.strictEqual(unwrap(await surety.sandbox.advanceClock({ merchantId, seconds: 60 })).advancedSeconds, 60)
    const off = unwrap(await surety.sandbox.switchRefunds({ merchantId, enabled: false }))
    assert.deepStrictEqual(off, { merchantId, refundsEnabled: false })
    const refused = await surety.refunds.create({ ...scope, idempotencyKey: "k", transactionId: "order-expired" })
    assert.isTrue(!refused.ok && refused.error._tag === "RefundRefused")
  })
})

describe("An unknown merchant", () => {
  it("fails every call that would store or change something of it", async () => {
    const surety = await makeSurety()
    const { customer } = await makeSale(surety, "known")
    const { userId } = customer
    const merchantId = "merchant_01h455vb4pex5vsknk084sn02q"
    const scope = { merchantId, environment: "TEST" } as const
    const id = "01h455vb4pex5vsknk084sn02q"
    const { sandbox } = surety
    const ofMerchant = await Promise.all([
      surety.payments.record({ ...scope, userId, amountMinor: 100n }),
      surety.grants.create({ ...scope, userId, fields: ["email"] }),
      surety.dataRequests.create({ ...scope, userId, idempotencyKey: "k", requestedFields: ["email"] }),
      surety.consumers.link({ ...scope, userId }),
      surety.apiKeys.create(scope),
      surety.webhooks.register({ ...scope, url: "https://shop.example" }),
      sandbox.recordPayment({ merchantId, userId, amountMinor: 100n }),
      sandbox.switchRefunds({ merchantId, enabled: false }),
      sandbox.clock({ merchantId }),
      sandbox.advanceClock({ merchantId, seconds: 60 })
    ])
    for (const answer of ofMerchant) assert.strictEqual(answer.ok ? "ok" : answer.error._tag, "MerchantNotFound")
    const ofRecord = await Promise.all([
      sandbox.settleRefund({ merchantId, refundId: `refund_${id}`, outcome: "completed" }),
      sandbox.expireDataRequest({ merchantId, dataRequestId: `datareq_${id}` }),
      sandbox.expireGrant({ merchantId, grantId: `grant_${id}` })
    ])
    for (const answer of ofRecord) assert.match(answer.ok ? "ok" : answer.error._tag, /NotFound$/u)
  })
})

describe("What an operator sees in the facade", () => {
  it("has the topics, one event, a person's link, and the requests over HTTP", async () => {
    const surety = await makeSurety()
    const { customer, scope } = await makeSale(surety, "seen")
    const { data: types } = unwrap(await surety.events.types())
    assert.isAbove(types.length, 5)
    assert.isTrue(types.every(({ description, example, schema }) => description !== "" && example && schema))
    const [event] = unwrap(await surety.events.list(scope)).data
    const found = unwrap(await surety.events.get({ ...scope, eventId: event?.id ?? "" }))
    assert.deepStrictEqual(found, event)
    const stranger = await surety.events.get({ ...scope, environment: "LIVE", eventId: event?.id ?? "" })
    assert.isTrue(!stranger.ok && stranger.error._tag === "EventNotFound")
    const resent = await surety.events.resend({ ...scope, environment: "LIVE", eventId: event?.id ?? "" })
    assert.isTrue(!resent.ok && resent.error._tag === "EventNotFound")
    const { environment } = scope
    const link = unwrap(await surety.grants.issueLink({ environment, userId: customer.userId, days: 2 }))
    assert.match(link.url, /^http:\/\/localhost\/consent\/manage|^http:\/\/localhost\/consent/)
    const { secret } = unwrap(await surety.apiKeys.create(scope))
    const headers = { authorization: `Bearer ${secret}` }
    await surety.handler(new Request("http://localhost/v1/refunds", { headers }))
    const { data: requests } = unwrap(await surety.requests.list({ ...scope, status: 200 }))
    assert.deepInclude(requests[0], { method: "GET", route: "/v1/refunds", status: 200 })
    assert.strictEqual(requests[0]?.id, requests[0]?.requestId)
  })
})
