import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeLiveKey, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const post = (key: string, path: string, body?: unknown) =>
  api.send("POST", `/v1/test-helpers/${path}`, body === undefined ? { key } : { key, body })

const listed = async (key: string, transactionId: string) =>
  (await api.send("GET", `/v1/refunds?transaction_id=${transactionId}`, { key })).body.data

const payment = async (transactionId: string) => {
  const { body } = await api.send("GET", "/operator/payments?environment=TEST&limit=100", asOperator)
  return body.data.find((one: { transactionId: string }) => one.transactionId === transactionId)
}

const topics = async (key: string) =>
  (await api.send("GET", "/v1/events", { key })).body.data.map(({ topic }: { topic: string }) => topic)

describe("a payment's refund_outcome", () => {
  it("pending: the refund waits, is returned as pending, and completes once it is settled", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome: "pending" })
    const sent = { transaction_id: transactionId, amount: 10 }
    const waiting = await refund(api, key, sent, "pending")
    expect(waiting).toMatchObject({ status: 503, body: { code: "wallet_unavailable" } })
    expect(waiting.headers.get("retry-after")).toBe("5")
    const { refundId } = waiting.body
    expect(await listed(key, transactionId)).toMatchObject([{ refundId, status: "PENDING", amount: 10 }])
    expect((await payment(transactionId)).refundedAmount).toBe(10)
    expect((await refund(api, key, sent, "pending")).body).toMatchObject({ code: "wallet_unavailable", refundId })
    expect(await topics(key)).not.toContain("refund.completed")

    const settled = await post(key, `refunds/${refundId}/settle`, { outcome: "completed" })
    expect(settled).toMatchObject({ status: 201, body: { refundId, status: "COMPLETED" } })
    expect(await topics(key)).toContain("refund.completed")
    const replayed = await refund(api, key, sent, "pending")
    expect(replayed.headers.get("idempotent-replayed")).toBe("true")
    expect(replayed.text).toBe(settled.text)
    expect((await refund(api, key, sent, "pending")).text).toBe(replayed.text)
    const again = await post(key, `refunds/${refundId}/settle`, { outcome: "failed" })
    expect(again.body).toMatchObject({ status: 409, code: "refund_not_waiting", refundStatus: "COMPLETED" })
  })

  it("pending, settled as failed: the money returns and the key is free", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome: "pending" })
    const first = await refund(api, key, { transaction_id: transactionId }, "failing")
    const failed = await post(key, `refunds/${first.body.refundId}/settle`, { outcome: "failed" })
    expect(failed.body).toMatchObject({ status: "FAILED", refundId: first.body.refundId })
    expect((await payment(transactionId)).refundedAmount).toBe(0)
    const next = await refund(api, key, { transaction_id: transactionId }, "failing")
    expect(next.body.code).toBe("wallet_unavailable")
    expect(next.body.refundId).not.toBe(first.body.refundId)
  })

  it("settles once, under concurrent settlements", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome: "pending" })
    const { refundId } = (await refund(api, key, { transaction_id: transactionId })).body
    const outcomes = ["completed", "failed", "completed", "failed", "completed"]
    const answers = await Promise.all(outcomes.map((outcome) => post(key, `refunds/${refundId}/settle`, { outcome })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  it("unavailable: 503 once, then the same key completes and pays once", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome: "unavailable" })
    const lost = await refund(api, key, { transaction_id: transactionId, amount: 7 }, "lost")
    expect(lost.body.code).toBe("wallet_unavailable")
    const found = await refund(api, key, { transaction_id: transactionId, amount: 7 }, "lost")
    expect(found).toMatchObject({ status: 201, body: { status: "COMPLETED", refundId: lost.body.refundId } })
    expect(await listed(key, transactionId)).toHaveLength(1)
    expect((await payment(transactionId)).refundedAmount).toBe(7)
  })

  it.each([
    ["decline", "wallet_declined", [{ status: "FAILED" }]],
    ["no_wallet", "customer_wallet_missing", []],
    ["no_balance", "insufficient_settlement_balance", []]
  ])("%s: %s, and nothing is refunded", async (refund_outcome, code, refunds) => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome })
    for (const _ of [1, 2]) {
      expect((await refund(api, key, { transaction_id: transactionId }, "same")).body.code).toBe(code)
      expect((await payment(transactionId)).refundedAmount).toBe(0)
    }
    expect((await listed(key, transactionId)).slice(0, 1)).toMatchObject(refunds)
    const trial = await api.send("GET", "/operator/ledger/trial-balance", asOperator)
    expect(trial.body.balanced).toBe(true)
  })

  it("complete is what happens without it", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { refund_outcome: "complete" })
    expect((await refund(api, key, { transaction_id: transactionId })).body.status).toBe("COMPLETED")
  })
})

describe("a payment from_balance", () => {
  it("is paid from what refunds have put into the wallet", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId, transactionId } = await makePayment(api, key, { amount: 100 })
    const pay = (amount: number) => post(key, "payments", { service_id: serviceId, amount, from_balance: true })
    expect((await pay(60)).body.code).toBe("wallet_balance_too_small")
    await refund(api, key, { transaction_id: transactionId, amount: 60 })
    expect((await pay(60)).status).toBe(201)
    expect((await pay(0.01)).body.code).toBe("wallet_balance_too_small")
  })

  it("is a settled one of a wallet", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makePayment(api, key)
    for (const wrong of [{ settled: false }, { method: "CARD" }]) {
      const answer = await post(key, "payments", { service_id: serviceId, amount: 1, from_balance: true, ...wrong })
      expect(answer.body).toMatchObject({ code: "validation_failed", errors: [{ pointer: "#/from_balance" }] })
    }
  })
})

describe("POST /v1/test-helpers/merchant", () => {
  it("switches TEST refunds off and on, and leaves LIVE as it is", async () => {
    const { id, key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key)
    const off = await post(key, "merchant", { refundsEnabled: false })
    expect(off).toMatchObject({ status: 201, body: { merchantId: id, environment: "TEST", refundsEnabled: false } })
    expect((await refund(api, key, { transaction_id: transactionId, amount: 1 })).body.code).toBe("refunds_forbidden")
    const live = await makeLiveKey(api, id)
    expect((await refund(api, live, { reference: "none" })).body.code).toBe("payment_not_found")
    await post(key, "merchant", { refundsEnabled: true })
    expect((await refund(api, key, { transaction_id: transactionId, amount: 1 })).status).toBe(201)
  })

  it("does not exist for a LIVE key, as every helper", async () => {
    const { id } = await makeMerchant(api)
    const live = await makeLiveKey(api, id)
    for (const path of ["merchant", "clock", "grants/x/expire", "data-requests/x/expire", "refunds/x/settle"]) {
      expect((await post(live, path, {})).body.code).toBe("route_not_found")
    }
  })
})
