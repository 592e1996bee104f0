import { Server } from "node:net"
import { embeddedStore, type HostWallet, unwrap } from "@surety/embed"
import { createTestKit, type TestKitOptions } from "@surety/embed/testing"
import { assert, describe, it, onTestFinished, vi } from "vitest"

const makeKit = async (options: TestKitOptions = {}) => {
  const kit = await createTestKit(options)
  onTestFinished(kit.close)
  return kit
}

const refundOf = (amount: number, idempotencyKey = "return-1") => ({
  idempotencyKey,
  transactionId: "order-1",
  amount
})

describe("The test kit", () => {
  it("has a merchant, its key, a customer and a payment", async () => {
    const { apiKey, consumer, inbox, merchant, payment, runUntilIdle, scope, surety } = await makeKit()
    assert.strictEqual(merchant.status, "ACTIVE")
    assert.match(apiKey, /^sk_test_/)
    assert.match(consumer.serviceId, /^SR1-/)
    assert.strictEqual(payment.amount, 2500.5)
    assert.deepStrictEqual(scope, { merchantId: merchant.id, environment: "TEST" })
    const answer = await surety.handler(
      new Request("http://shop.example/v1/whoami", { headers: { authorization: `Bearer ${apiKey}` } })
    )
    assert.strictEqual(answer.status, 200)
    await runUntilIdle()
    assert.deepStrictEqual(
      inbox.events.map(({ topic }) => topic),
      []
    )
  })

  it("shows a host's test the webhooks of a refund, verified", async () => {
    const { inbox, runUntilIdle, scope, surety } = await makeKit()
    const refund = unwrap(await surety.refunds.create({ ...scope, ...refundOf(1000) }))
    assert.deepStrictEqual(inbox.of("refund.completed"), [])
    await runUntilIdle()
    assert.deepStrictEqual(
      inbox.of("refund.completed").map(({ payload }) => payload.refundId),
      [refund.refundId]
    )
    assert.deepStrictEqual(inbox.refused, [])
    inbox.clear()
    await runUntilIdle()
    assert.deepStrictEqual(inbox.events, [])
  })

  it("moves its clock to a webhook's retry", async () => {
    const { clock, inbox, runUntilIdle, scope, surety } = await makeKit()
    inbox.failWith(503)
    unwrap(await surety.refunds.create({ ...scope, ...refundOf(1000) }))
    await runUntilIdle()
    inbox.failWith(undefined)
    await runUntilIdle()
    assert.deepStrictEqual(inbox.events, [])
    const before = clock.now()
    clock.advance({ seconds: 60 })
    assert.isAtLeast(clock.now().getTime() - before.getTime(), 60_000)
    await runUntilIdle()
    assert.deepStrictEqual(
      inbox.events.map(({ attempt, topic }) => [topic, attempt]),
      [["refund.completed", 2]]
    )
  })

  it.each([
    ["in memory", undefined],
    ["on an embedded database", embeddedStore()]
  ])("moves its clock to the end of a consent, %s", async (_, store) => {
    const { clock, consumer, inbox, runUntilIdle, scope, surety } = await makeKit(store === undefined ? {} : { store })
    const request = unwrap(
      await surety.dataRequests.create({
        ...scope,
        idempotencyKey: "ask-1",
        serviceId: consumer.serviceId,
        requestedFields: ["display_name"]
      })
    )
    unwrap(await surety.dataRequests.approve({ dataRequestId: request.id }))
    const read = () => surety.identity.read({ ...scope, serviceId: consumer.serviceId })
    assert.deepStrictEqual(unwrap(await read()).fields, {
      display_name: "Ada Obi",
      service_id: consumer.serviceId
    })
    clock.advance({ days: 181 })
    await runUntilIdle()
    const late = await read()
    assert.strictEqual(late.ok ? "read" : late.error._tag, "ConsentRequired")
    const refund = unwrap(await surety.refunds.create({ ...scope, ...refundOf(1000) }))
    assert.isBelow(Math.abs(Date.parse(String(refund.createdAt)) - clock.now().getTime()), 60_000)
    await runUntilIdle()
    assert.lengthOf(inbox.of("refund.completed"), 1)
    assert.deepStrictEqual(inbox.refused, [])
  })

  it.each<[string, TestKitOptions]>([
    ["of its options", { publicUrl: "not a url" }],
    ["of its store", { store: embeddedStore({ dataDir: "/dev/null/store" }) }]
  ])("listens on no port once it has failed because %s", async (_, options) => {
    const listen = vi.spyOn(Server.prototype, "listen")
    onTestFinished(() => listen.mockRestore())
    const failed = await createTestKit(options).then(
      (kit) => kit.close(),
      (error: unknown) => error
    )
    assert.instanceOf(failed, Error)
    assert.deepStrictEqual(
      listen.mock.contexts.map((server) => server instanceof Server && server.listening),
      [false]
    )
  })

  it("goes backwards for no one", async () => {
    const { clock } = await makeKit()
    assert.throws(() => clock.advance({ seconds: -1 }), RangeError)
    assert.throws(() => clock.advance({ days: Number.NaN }), RangeError)
  })

  it("finishes what a host's wallet left open", async () => {
    let calls = 0
    const wallet: HostWallet = {
      credit: async () => {
        calls += 1
        if (calls === 1) throw new Error("down")
        return { credited: true }
      }
    }
    const { clock, inbox, runUntilIdle, scope, surety } = await makeKit({ wallet, environment: "LIVE" })
    const first = await surety.refunds.create({ ...scope, ...refundOf(1000) })
    assert.strictEqual(first.ok, false)
    await runUntilIdle()
    assert.deepStrictEqual(inbox.of("refund.completed"), [])
    clock.advance({ seconds: 60 })
    await runUntilIdle()
    assert.strictEqual(calls, 2)
    assert.strictEqual(inbox.of("refund.completed").length, 1)
  })
})
