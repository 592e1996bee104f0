import { describe, expect, it } from "vitest"
import {
  AlreadyRefunded,
  AmountExceedsRefundable,
  BadRequest,
  Conflict,
  createClient,
  IdempotencyKeyReused,
  InvalidApiKey,
  isKnownProblem,
  NotFound,
  PaymentNotFound,
  PaymentNotSettled,
  RefundNotFound,
  RouteNotFound,
  Unauthorized,
  UnknownField,
  ValidationFailed
} from "../src/index.js"
import { baseUrl, makeClient, makeKey, makePayment, makeService } from "./Service.js"

const service = makeService()

const failure = async <E>(call: Promise<unknown>, Class: abstract new (...args: never) => E): Promise<E> => {
  const error: unknown = await call.then(
    () => expect.fail("the call succeeded"),
    (reason: unknown) => reason
  )
  return error instanceof Class ? error : expect.fail(`not a ${Class.name}: ${error}`)
}

it("whoami tells who the key belongs to", async () => {
  const client = await makeClient(service)
  expect(await client.account.whoami()).toMatchObject({ name: "Ada's Shop", environment: "TEST", status: "ACTIVE" })
})

describe("a refund", () => {
  it("is done, and read again", async () => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    const refund = await client.refunds.create({ transaction_id: transactionId, amount: 1000.25, reason: "Damaged" })
    expect(refund).toMatchObject({ status: "COMPLETED", amount: 1000.25, currency: "NGN", reason: "Damaged" })
    expect(await client.refunds.get(refund.refundId)).toEqual(refund)
  })

  it("is done once under one idempotency key, and the reply says so", async () => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    const create = () =>
      client.refunds.create({ transaction_id: transactionId, amount: 1000 }, { idempotencyKey: "order 7" }).withReply()
    const first = await create()
    const again = await create()
    expect([first.status, first.replayed, first.attempts, first.idempotencyKey]).toEqual([201, false, 1, "order 7"])
    expect([again.status, again.replayed]).toEqual([201, true])
    expect(again.data).toEqual(first.data)
    expect((await client.refunds.list({ transaction_id: transactionId })).data).toHaveLength(1)
  })

  it("gets a key of its own with each call that names none", async () => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    const create = () => client.refunds.create({ transaction_id: transactionId, amount: 1 }).withReply()
    const [one, other] = [await create(), await create()]
    expect(one.idempotencyKey).not.toBe(other.idempotencyKey)
    expect((await client.refunds.list()).data).toHaveLength(2)
  })

  it("of too much is refused with what is left", async () => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    await client.refunds.create({ transaction_id: transactionId, amount: 2000 })
    const error = await failure(client.refunds.create({ transaction_id: transactionId }), AmountExceedsRefundable)
    expect([error.original, error.refunded, error.refundable, error.currency]).toEqual([2500.5, 2000, 500.5, "NGN"])
    expect(error).toBeInstanceOf(BadRequest)
    expect(error).toMatchObject({ status: 400, attempts: 1, operation: "refunds.create", mayHaveTakenEffect: false })
    expect(error.message).toContain("amount_exceeds_refundable")
    expect(error.message).toContain(error.requestId)
  })

  it("that was refused goes through later under the same key", async () => {
    const client = await makeClient(service)
    const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi" })
    const unsettled = { service_id: serviceId, amount: 100, settled: false }
    const { transactionId } = await client.testHelpers.createPayment(unsettled)
    const error = await failure(client.refunds.create({ transaction_id: transactionId }), PaymentNotSettled)
    await client.testHelpers.settlePayment(transactionId)
    const idempotencyKey = error.idempotencyKey ?? expect.fail("the error has no key")
    const refund = await client.refunds.create({ transaction_id: transactionId }, { idempotencyKey })
    expect(refund.amount).toBe(100)
    await failure(client.refunds.create({ transaction_id: transactionId }), AlreadyRefunded)
    await failure(
      client.refunds.create({ transaction_id: transactionId, amount: 1 }, { idempotencyKey }),
      IdempotencyKeyReused
    )
  })

  it("whose amount or items are there but undefined is not sent: it would refund the whole payment", async () => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    const lost: { readonly amount?: number; readonly items?: ReadonlyArray<{ readonly amount: number }> } = {}
    const request = { transaction_id: transactionId, amount: lost.amount }
    // @ts-expect-error: the types reject it too, under `exactOptionalPropertyTypes`
    const call = client.refunds.create(request)
    await expect(call).rejects.toThrow(/amount is undefined/u)
    // @ts-expect-error: so they do here
    const ofItems = client.refunds.create({ transaction_id: transactionId, items: lost.items })
    await expect(ofItems).rejects.toThrow(/items is undefined/u)
    expect((await client.refunds.list()).data).toEqual([])
  })
})

describe("a refusal", () => {
  it("tells every fault and where it is", async () => {
    const client = await makeClient(service)
    const wrong = { transaction_id: "payment_1", amount: -1, reason: "x".repeat(501) }
    const { errors } = await failure(client.refunds.create(wrong), ValidationFailed)
    expect(errors.map(({ code, pointer }) => [pointer, code]).sort()).toEqual([
      ["#/amount", "amount_not_positive"],
      ["#/reason", "too_long"]
    ])
  })

  it("is of its code's class and of its status's", async () => {
    const client = await makeClient(service)
    const missing = await failure(client.refunds.create({ reference: "none" }), PaymentNotFound)
    expect(missing).toBeInstanceOf(NotFound)
    expect([missing.code, isKnownProblem(missing)]).toEqual(["payment_not_found", true])
    await failure(client.refunds.get("refund_01k7wqab4ye0r8m5n7p9t1v3xz"), RefundNotFound)
    const misspelt = { transaction_id: "payment_1", ammount: 5 }
    expect(await failure(client.refunds.create(misspelt), UnknownField)).toMatchObject({
      errors: [{ pointer: "#/ammount" }]
    })
  })

  it("whose code is newer than the client is of its status's class", async () => {
    const problem = { type: "about:blank", title: "New", status: 409, detail: "Newer", code: "newer" }
    const body = JSON.stringify({ ...problem, name: "Forged", attempts: 99, hint: "wait" })
    const answer = () =>
      Promise.resolve(new Response(body, { status: 409, headers: { "content-type": "application/json" } }))
    const client = createClient({ apiKey: "sk_test_1", baseUrl, fetch: answer })
    const error = await failure(client.account.whoami(), Conflict)
    expect(error).toMatchObject({ code: "newer", title: "New", detail: "Newer", hint: "wait", attempts: 1 })
    expect([error.name, isKnownProblem(error)]).toEqual(["Conflict", false])
  })

  it("of a wrong key says nothing of the key", async () => {
    const apiKey = `sk_test_${"z".repeat(49)}`
    const client = createClient({ apiKey, baseUrl, fetch: service.fetch })
    const error = await failure(client.account.whoami(), InvalidApiKey)
    expect(error).toBeInstanceOf(Unauthorized)
    expect(`${error.message} ${error.detail}`).not.toContain(apiKey)
  })

  it("of test helpers meets LIVE keys, as if they were not there", async () => {
    const client = createClient({ apiKey: await makeKey(service, "LIVE"), baseUrl, fetch: service.fetch })
    await failure(client.testHelpers.createConsumer(), RouteNotFound)
    expect((await client.account.whoami()).environment).toBe("LIVE")
  })
})

describe("a list", () => {
  const filled = async (count: number) => {
    const client = await makeClient(service)
    const { transactionId } = await makePayment(client)
    for (let index = 0; index < count; index++) {
      await client.refunds.create({ transaction_id: transactionId, amount: index + 1 })
    }
    const { data } = await client.refunds.list({ limit: 100 })
    expect(data).toHaveLength(count)
    return { client, made: data.map(({ refundId }) => refundId), transactionId }
  }

  it("is walked through, over all its pages, each record once", async () => {
    const { client, made, transactionId } = await filled(5)
    const walked: Array<string> = []
    for await (const { refundId } of client.refunds.list({ transaction_id: transactionId, limit: 2 }))
      walked.push(refundId)
    expect(walked).toEqual(made)
  })

  it("gives its pages, and their cursors", async () => {
    const { client, made } = await filled(5)
    const sizes: Array<number> = []
    for await (const { data } of client.refunds.list({ limit: 2 }).pages()) sizes.push(data.length)
    expect(sizes).toEqual([2, 2, 1])
    const first = await client.refunds.list({ limit: 3 })
    const second = await first.next?.()
    expect([...first.data, ...(second?.data ?? [])].map(({ refundId }) => refundId)).toEqual(made)
    expect(second?.next).toBeUndefined()
    const resumed = await client.refunds.list({ limit: 3, cursor: first.nextCursor ?? "" })
    expect(resumed.data).toEqual(second?.data)
  })

  it("gives no more than was asked for, and reads no page in vain", async () => {
    let reads = 0
    const { made, client } = await filled(5)
    const counting = createClient({
      apiKey: await makeKey(service),
      baseUrl,
      fetch: (url, init) => {
        reads += 1
        return service.fetch(url, init)
      }
    })
    expect((await client.refunds.list({ limit: 2 }).take(3)).map(({ refundId }) => refundId)).toEqual(made.slice(0, 3))
    expect(await counting.refunds.list({ limit: 2 }).take(1)).toEqual([])
    expect(reads).toBe(1)
  })

  it("of events has the refund's, with its deliveries and resending", async () => {
    const { client } = await filled(1)
    const [event] = await client.events.list({ topic: "refund.completed" }).take(10)
    if (event === undefined) return expect.fail("there is no event")
    expect(await client.events.get(event.id)).toEqual(event)
    expect(await client.events.deliveries(event.id)).toEqual({ data: [] })
    expect(await client.events.resend(event.id)).toEqual({ eventId: event.id, scheduled: 0 })
  })

  it("that is not valid is refused at its first page", async () => {
    const client = await makeClient(service)
    await failure(client.refunds.list({ limit: 101 }), ValidationFailed)
  })
})
