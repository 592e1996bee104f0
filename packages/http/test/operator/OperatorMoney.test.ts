import { NGN } from "@surety/core/Currency"
import { UserId } from "@surety/core/Ids"
import { accountId } from "@surety/core/ledger/AccountId"
import { defaultFourEyes, FourEyes } from "@surety/core/operator/approval/FourEyes"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const get = (path: string) => api.send("GET", `/operator${path}`, asOperator)

let keys = 0

const post = (body: object, headers: Readonly<Record<string, string>> = { "idempotency-key": `transfer-${++keys}` }) =>
  api.send("POST", "/operator/ledger/transfers", { ...asOperator, headers, body })

/** Creates a merchant with 2,500.50 NGN in its TEST settlement account. */
const seller = async () => {
  const merchant = await makeMerchant(api)
  const paid = await makePayment(api, merchant.key)
  const accounts = (await get("/ledger/balances?environment=TEST&limit=100")).body.data
  const account = accounts.find(({ owner }: { owner: string }) => owner === merchant.id)
  return { ...merchant, ...paid, account }
}

const balanceOf = async (id: string) =>
  (await get("/ledger/balances?environment=TEST&limit=100")).body.data.find(
    (account: { id: string }) => account.id === id
  ).balance

const payout = (merchantId: string, changes: object = {}) => ({
  kind: "PAYOUT",
  environment: "TEST",
  currency: "NGN",
  amount: 1_000.5,
  merchantId,
  reason: "Weekly payout",
  ...changes
})

describe("an operator's transfer", () => {
  it("moves money out of the merchant's account, in the books and with its action", async () => {
    const { account, id } = await seller()
    const posted = await post(payout(id))
    expect(posted.status).toBe(201)
    expect(posted.body).toEqual({
      transferId: expect.stringMatching(/^transfer_/),
      kind: "PAYOUT",
      environment: "TEST",
      amount: 1_000.5,
      currency: "NGN",
      merchantId: id,
      reason: "Weekly payout",
      at: expect.any(String)
    })
    expect(await balanceOf(account.id)).toBe("150000")
    const statement = await get(`/ledger/accounts/${account.id}/postings`)
    expect(statement.body.environment).toBe("TEST")
    expect(statement.body.data).toEqual([
      expect.objectContaining({
        transferId: posted.body.transferId,
        cause: posted.body.transferId,
        kind: "PAYOUT",
        side: "DEBIT",
        amount: "100050",
        otherAccount: expect.objectContaining({ kind: "EXTERNAL", owner: "platform" })
      }),
      expect.objectContaining({ kind: "PAYMENT", side: "CREDIT", amount: "250050" })
    ])
    const [action] = (await get(`/actions?target=${posted.body.transferId}`)).body.data
    expect(action).toMatchObject({
      actor: "operator",
      kind: "transfer.posted",
      merchantId: id,
      reason: "Weekly payout"
    })
    expect(action.changes).toContainEqual({ field: "amountMinor", to: "100050" })
    expect((await get("/ledger/trial-balance")).body.balanced).toBe(true)
  })

  it("is posted once for its key, and answered byte for byte from then on, with one action", async () => {
    const { account, id } = await seller()
    const headers = { "idempotency-key": `once-${id}` }
    const first = await post(payout(id), headers)
    const again = await post(payout(id, { currency: "ngn" }), headers)
    expect(again.text).toBe(first.text)
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    const inBody = await post(payout(id, { idempotencyKey: `once-${id}` }), {})
    expect(inBody.text).toBe(first.text)
    const reused = await post(payout(id, { amount: 1 }), headers)
    expect(reused.body).toMatchObject({ status: 409, code: "idempotency_key_reused" })
    expect(await balanceOf(account.id)).toBe("150000")
    const { data } = (await get(`/actions?merchantId=${id}&kind=transfer.posted`)).body
    expect(data).toHaveLength(1)
  })

  it("names what an account has that refunds have overdrawn", async () => {
    const { id, key, transactionId } = await seller()
    await api.send("PATCH", `/operator/merchants/${id}`, { ...asOperator, body: { settlementOverdraft: true } })
    expect((await post(payout(id, { amount: 2_500.5 }))).status).toBe(201)
    expect((await refund(api, key, { transaction_id: transactionId, amount: 0.05 })).status).toBe(201)
    const { body } = await post(payout(id, { amount: 1 }))
    expect(body).toMatchObject({ status: 400, code: "insufficient_balance", detail: "The account has -0.05 NGN." })
  })

  it("takes an account nowhere below zero, and leaves no action when it is refused", async () => {
    const { account, id, serviceId } = await seller()
    for (const body of [
      payout(id, { amount: 2_500.51 }),
      payout(id, { kind: "ADJUSTMENT", direction: "DEBIT", amount: 2_500.51 }),
      { ...payout(id, { kind: "WITHDRAWAL", serviceId, amount: 0.01 }), merchantId: undefined }
    ]) {
      expect((await post(body)).body).toMatchObject({ status: 400, code: "insufficient_balance" })
    }
    expect(await balanceOf(account.id)).toBe("250050")
    expect((await get(`/actions?merchantId=${id}&kind=transfer.posted`)).body.data).toEqual([])
  })

  it("funds a wallet and withdraws from it, and adjusts both ways", async () => {
    const { serviceId } = await seller()
    const { merchantId: _, ...wallet } = payout("", { serviceId, reason: "r" })
    for (const change of [
      { kind: "FUNDING", amount: 10 },
      { kind: "WITHDRAWAL", amount: 4 },
      { kind: "ADJUSTMENT", amount: 1 },
      { kind: "ADJUSTMENT", direction: "DEBIT", amount: 2 }
    ]) {
      expect((await post({ ...wallet, ...change })).status).toBe(201)
    }
    const { data } = (await get(`/actions?serviceId=${serviceId}&kind=transfer.posted`)).body
    expect(data).toHaveLength(4)
    const withdrawn = await post({ ...wallet, kind: "WITHDRAWAL", amount: 5.01 })
    expect(withdrawn.body).toMatchObject({ code: "insufficient_balance", detail: expect.stringContaining("5") })
  })

  it("answers a repeated key as before, although the person was erased since", async () => {
    const person = await api.send("POST", "/operator/consumers", { ...asOperator, body: { environment: "TEST" } })
    const { serviceId } = person.body
    const { merchantId: _, ...wallet } = payout("", { serviceId, reason: "r", amount: 5 })
    const headers = { "idempotency-key": `erased-${serviceId}` }
    const withdrawn = { ...wallet, kind: "WITHDRAWAL" }
    expect((await post({ ...wallet, kind: "FUNDING" })).status).toBe(201)
    expect((await post(withdrawn, headers)).status).toBe(201)
    const erasing = { ...asOperator, body: { environment: "TEST", reason: "asked" } }
    expect((await api.send("POST", `/operator/people/${serviceId}/erase`, erasing)).status).toBe(201)
    const again = await post(withdrawn, headers)
    expect(again.status).toBe(201)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect((await post(withdrawn)).body).toMatchObject({ status: 400, code: "consumer_not_found" })
  })

  it.each([
    [{ merchantId: undefined }, "#/merchantId", "required"],
    [{ serviceId: "SR1-K7QM-WX4T-A" }, "#/serviceId", "not_allowed_value"],
    [{ kind: "WITHDRAWAL" }, "#/merchantId", "not_allowed_value"],
    [{ direction: "DEBIT" }, "#/direction", "not_allowed_value"],
    [{ amount: 0 }, "#/amount", "amount_not_positive"],
    [{ amount: 1.001 }, "#/amount", "amount_precision"],
    [{ currency: "ZZZ" }, "#/currency", "currency_unknown"],
    [{ reason: undefined }, "#/reason", "required"],
    [{ reason: " " }, "#/reason", "blank"],
    [{ kind: "REFUND" }, "#/kind", "not_allowed_value"],
    [{ idempotencyKey: "ключ" }, "#/idempotencyKey", "idempotency_key_invalid"],
    [{ idempotencyKey: "another" }, "#/idempotencyKey", "not_allowed_value"],
    [{ overdraft: true }, "#/overdraft", "unknown_field"]
  ])("refuses %o", async (change, pointer, code) => {
    const { id } = await makeMerchant(api)
    const { body } = await post(payout(id, change))
    expect(body.status).toBe(400)
    expect(body.errors).toEqual([expect.objectContaining({ pointer, code })])
  })

  it("needs a key, and a merchant or consumer who exists", async () => {
    const { id } = await makeMerchant(api)
    expect((await post(payout(id), {})).body).toMatchObject({ status: 400, code: "idempotency_key_required" })
    expect((await post(payout("merchant_x"))).body).toMatchObject({ status: 404, code: "merchant_not_found" })
    const stranger = { ...payout("", { kind: "FUNDING", serviceId: "SR1-K7QM-WX4T-A" }), merchantId: undefined }
    expect((await post(stranger)).body).toMatchObject({ status: 400, code: "consumer_not_found" })
  })
})

describe("an interface that is held to four eyes", () => {
  const held = makeInterface({}, Layer.succeed(FourEyes, { ...defaultFourEyes, inHttp: true }))
  const send = (path: string, body: object) =>
    held.send("POST", `/operator${path}`, { ...asOperator, headers: { "idempotency-key": `held-${++keys}` }, body })

  it("refuses what needs a second operator, and does the rest", async () => {
    const { id, key } = await makeMerchant(held)
    await makePayment(held, key)
    expect((await send("/ledger/transfers", payout(id))).status).toBe(201)
    for (const change of [{ amount: 10_000 }, { kind: "ADJUSTMENT", amount: 1 }, { currency: "USD", amount: 1 }]) {
      const refused = await send("/ledger/transfers", payout(id, change))
      expect(refused.body).toMatchObject({ status: 403, code: "operator_forbidden" })
    }
    const person = await send("/consumers", { environment: "TEST" })
    const erased = await send(`/people/${person.body.serviceId}/erase`, { environment: "TEST", reason: "asked" })
    expect(erased.body).toMatchObject({ status: 403, code: "operator_forbidden" })
  })
})

describe("an operator who moves a large amount in parts", () => {
  it("is refused over HTTP once the parts add up to it, and answered again what was answered", async () => {
    const held = makeInterface({}, Layer.succeed(FourEyes, { ...defaultFourEyes, inHttp: true }))
    const { id } = await makeMerchant(held)
    const fund = (key: string, amount: number) =>
      held.send("POST", "/operator/ledger/transfers", {
        ...asOperator,
        headers: { "idempotency-key": key },
        body: payout(id, { kind: "FUNDING", amount })
      })
    const first = await fund("part 1", 6_000)
    expect(first.status).toBe(201)
    expect((await fund("part 2", 4_000)).body).toMatchObject({ status: 403, code: "operator_forbidden" })
    expect((await fund("part 3", 3_999.99)).status).toBe(201)
    expect((await fund("part 4", 0.01)).body.code).toBe("operator_forbidden")
    const repeated = await fund("part 1", 6_000)
    expect(repeated.headers.get("idempotent-replayed")).toBe("true")
    expect(repeated.body).toEqual(first.body)
    const { body } = await held.send("GET", "/operator/actions?kind=transfer.posted", asOperator)
    expect(body.data).toHaveLength(2)
  })
})

describe("an account's postings", () => {
  it.each(["€", "\u0001"])("are found for the longest user id of a host, of %j", async (character) => {
    const owner = UserId.make(character.repeat(128))
    const id = accountId({ environment: "TEST", kind: "WALLET", currency: NGN, owner })
    expect((await get(`/ledger/accounts/${id}/postings`)).body).toMatchObject({ code: "account_not_found" })
  })

  it.each(["x", "WyJURVNUIl0", Buffer.from('["TEST","SETTLEMENT","NGN","nobody"]').toString("base64url")])(
    "do not exist for %s",
    async (id) => {
      expect((await get(`/ledger/accounts/${id}/postings`)).body).toMatchObject({
        status: 404,
        code: "account_not_found"
      })
    }
  )
})

describe("refunds of all merchants", () => {
  it("are found by each of their values, and read by their id", async () => {
    const { id, key, reference, transactionId } = await seller()
    const made = (await refund(api, key, { transaction_id: transactionId, amount: 100, reason: "broken" })).body
    await seller()
    const { body } = await get(`/refunds/${made.refundId}`)
    expect(body).toEqual({ ...made, environment: "TEST", createdAt: expect.any(String) })
    const found = async (query: string) => (await get(`/refunds?environment=TEST&${query}`)).body
    expect(await found(`merchantId=${id}`)).toEqual({ environment: "TEST", data: [body] })
    for (const query of [
      `transactionId=${transactionId}`,
      `reference=${reference}`,
      `merchantId=${id}&status=COMPLETED`,
      `merchantId=${id}&from=${body.createdAt}`
    ]) {
      expect((await found(query)).data).toEqual([body])
    }
    for (const query of [`merchantId=${id}&status=PENDING`, `merchantId=${id}&to=${body.createdAt}`]) {
      expect((await found(query)).data).toEqual([])
    }
    expect((await get(`/refunds?merchantId=${id}`)).body).toEqual({ environment: "LIVE", data: [] })
    expect((await get("/refunds/refund_x")).body).toMatchObject({ status: 404, code: "refund_not_found" })
  })
})

describe("a merchant's history", () => {
  it("has every change of status, oldest first, with who and why", async () => {
    const { id } = await makeMerchant(api)
    const body = { status: "REJECTED", reason: "No papers" }
    await api.send("POST", `/operator/merchants/${id}/status`, { ...asOperator, body })
    expect((await get(`/merchants/${id}/history`)).body.data).toEqual([
      { to: "PENDING_REVIEW", actor: "applicant", at: expect.any(String) },
      { from: "PENDING_REVIEW", to: "REJECTED", actor: "operator", reason: "No papers", at: expect.any(String) }
    ])
    expect((await get("/merchants/merchant_x/history")).body).toMatchObject({ status: 404, code: "merchant_not_found" })
  })
})
