import {
  createSurety,
  memoryStore,
  type Outcome,
  postgresStore,
  type Surety,
  type SuretyOptions,
  unwrap
} from "@surety/embed"
import { Pool } from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { migratedDatabase } from "../HostDatabase.js"
import { application, makeSale, secretsKey } from "../Shop.js"

const tagOf = (outcome: { readonly ok: boolean; readonly error?: { readonly _tag: string } }) =>
  outcome.ok ? "ok" : outcome.error?._tag

const stores: Readonly<Record<string, () => Promise<SuretyOptions["store"]>>> = {
  memory: async () => memoryStore(),
  PostgreSQL: async () => postgresStore({ url: await migratedDatabase() })
}

describe.each(Object.entries(stores))("The host's own ids over %s", (_, makeStore) => {
  let surety: Surety

  beforeAll(async () => {
    surety = await createSurety({ store: await makeStore(), secretsKey, targets: "any" })
    afterAll(() => surety.close())
  })

  it("make one consumer of 30 concurrent calls, who stays as they are", async () => {
    const { merchant } = await makeSale(surety, "ensured")
    const wanted = { environment: "TEST", userId: "user/30", linkedTo: merchant.id } as const
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) => surety.consumers.ensure({ ...wanted, displayName: `Bola ${index}` }))
    )
    assert.lengthOf(new Set(made.map((one) => unwrap(one).serviceId)), 1)
    const [first] = made.map(unwrap)
    const again = unwrap(await surety.consumers.ensure({ ...wanted, displayName: "Another name" }))
    assert.deepStrictEqual(again, first)
    assert.deepStrictEqual(unwrap(await surety.consumers.get({ environment: "TEST", userId: "user/30" })), first)
    const linked = unwrap(await surety.consumers.listLinked({ merchantId: merchant.id, environment: "TEST" })).data
    assert.lengthOf(
      linked.filter(({ id }) => id === "user/30"),
      1
    )
    const inLive = unwrap(await surety.consumers.ensure({ environment: "LIVE", userId: "user/30" }))
    assert.notStrictEqual(inLive.serviceId, first?.serviceId)
  })

  it("link an existing consumer to another merchant, and refuse another person's service id", async () => {
    const { customer } = await makeSale(surety, "known")
    const { merchant, customer: stranger } = await makeSale(surety, "other")
    const wanted = { environment: "TEST", userId: customer.userId } as const
    assert.strictEqual(unwrap(await surety.consumers.ensure({ ...wanted, linkedTo: merchant.id })).id, customer.id)
    const linked = unwrap(await surety.consumers.listLinked({ merchantId: merchant.id, environment: "TEST" })).data
    assert.sameMembers(
      linked.map(({ id }) => id),
      [customer.id, stranger.id]
    )
    const same = await surety.consumers.ensure({ ...wanted, serviceId: customer.serviceId })
    assert.strictEqual(tagOf(same), "ok")
    const differing = await surety.consumers.ensure({ ...wanted, serviceId: stranger.serviceId })
    assert.strictEqual(tagOf(differing), "UserIdTaken")
    const taken = await surety.consumers.ensure({ ...wanted, userId: "user-new", serviceId: stranger.serviceId })
    assert.strictEqual(tagOf(taken), "ServiceIdTaken")
  })

  it("make one merchant of 30 concurrent calls, who stays as it is", async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        surety.merchants.ensure({ externalId: "seller 30", ...application, name: `Shop ${index}` })
      )
    )
    assert.lengthOf(new Set(made.map((one) => unwrap(one).id)), 1)
    const [first] = made.map(unwrap)
    const again = unwrap(await surety.merchants.ensure({ externalId: "seller 30", ...application, name: "Other" }))
    assert.deepStrictEqual(again, first)
    assert.deepStrictEqual(unwrap(await surety.merchants.get({ externalId: "seller 30" })), first)
    assert.strictEqual(
      tagOf(await surety.merchants.create({ externalId: "seller 30", ...application })),
      "ExternalIdTaken"
    )
    assert.strictEqual(tagOf(await surety.merchants.get({ externalId: "seller 31" })), "ExternalIdNotFound")
    assert.strictEqual(tagOf(await surety.merchants.get({})), "InvalidInput")
    const both = { externalId: "seller 30", merchantId: first?.id ?? "" }
    assert.strictEqual(tagOf(await surety.merchants.get(both)), "InvalidInput")
    const listed = unwrap(await surety.merchants.list({ limit: 100 })).data
    assert.lengthOf(
      listed.filter(({ externalId }) => externalId === "seller 30"),
      1
    )
    const { data: history } = unwrap(await surety.merchants.history({ merchantId: first?.id ?? "" }))
    assert.deepStrictEqual(
      history.map(({ actor, to }) => [to, actor.name]),
      [["PENDING_REVIEW", "host"]]
    )
  })

  it("name a person in place of the service id, and both only if they are one person's", async () => {
    const { customer, merchant, scope } = await makeSale(surety, "named")
    const { customer: other } = await makeSale(surety, "stranger")
    const { serviceId, userId } = customer
    const whom = { ...scope, userId }
    const paid = unwrap(await surety.payments.record({ ...whom, transactionId: "named-2", amount: 5 }))
    assert.deepInclude(paid, { id: "named-2", serviceId, userId })
    const asked = { idempotencyKey: "ask", requestedFields: ["email"] } as const
    const request = unwrap(await surety.dataRequests.create({ ...whom, ...asked }))
    // A repeated request that names the person by `serviceId` instead of `userId` is a replay, not a reused key.
    const again = unwrap(await surety.dataRequests.create({ ...scope, serviceId, ...asked }))
    assert.deepInclude(again, { id: request.id, replayed: true })
    const grant = unwrap(await surety.grants.create({ ...whom, fields: ["display_name"] }))
    assert.deepInclude(grant, { userId, serviceId })
    const read = unwrap(await surety.identity.read(whom))
    assert.deepInclude(read.fields, { display_name: "Bola" })
    const lists: ReadonlyArray<
      Promise<Outcome<{ readonly data: ReadonlyArray<{ readonly userId: string }> }, unknown>>
    > = [
      surety.grants.list({ ...scope, serviceId }),
      surety.grants.list(whom),
      surety.identity.reads({ environment: "TEST", serviceId }),
      surety.dataRequests.list({ environment: "TEST", userId, serviceId })
    ]
    for (const list of lists) {
      const { data } = unwrap(await list)
      assert.deepStrictEqual([...new Set(data.map((record) => record.userId))], [userId])
    }
    const reason = "a test"
    const changed = unwrap(await surety.consumers.update({ environment: "TEST", userId, country: "GH", reason }))
    assert.deepInclude(changed, { id: userId, country: "GH" })
    const { data: actions } = unwrap(await surety.actions.list({ environment: "TEST", userId }))
    assert.deepInclude(actions[0], { kind: "consumer.changed", actor: { name: "host" }, reason, serviceId })
    const unlinked = unwrap(await surety.consumers.unlink(whom))
    assert.strictEqual(unlinked.id, userId)
    assert.strictEqual(tagOf(await surety.consumers.unlink(whom)), "ConsumerNotLinked")
    unwrap(await surety.consumers.link({ merchantId: merchant.id, environment: "TEST", userId }))

    const twoPeople = { ...scope, userId, serviceId: other.serviceId }
    for (const refused of [
      surety.identity.read(twoPeople),
      surety.consumers.get({ environment: "TEST", userId, serviceId: other.serviceId }),
      surety.payments.record({ ...twoPeople, amount: 5 }),
      surety.grants.create({ ...twoPeople, fields: ["email"] }),
      surety.grants.list(twoPeople),
      surety.people.restrict({ environment: "TEST", userId, serviceId: other.serviceId, reason }),
      surety.identity.read(scope)
    ]) {
      assert.strictEqual(tagOf(await refused), "InvalidInput")
    }
    // An omitted merchant must not mean every merchant.
    const forgotten: typeof scope = JSON.parse('{ "environment": "TEST" }', (key, value) =>
      key === "" ? { ...value, merchantId: undefined } : value
    )
    assert.strictEqual(tagOf(await surety.refunds.list(forgotten)), "InvalidInput")
    assert.strictEqual(tagOf(await surety.grants.list(forgotten)), "InvalidInput")
    // The consumer with this `userId` exists only in TEST.
    assert.strictEqual(tagOf(await surety.identity.read({ ...whom, environment: "LIVE" })), "UserIdNotFound")
    assert.strictEqual(tagOf(await surety.payments.record({ ...scope, userId: "nobody", amount: 5 })), "UserIdNotFound")
  })

  it("are free again once the person is erased, and lead to nothing of theirs", async () => {
    const { customer, scope } = await makeSale(surety, "erased")
    const { userId } = customer
    unwrap(await surety.people.erase({ environment: "TEST", userId, reason: "asked for" }))
    assert.strictEqual(tagOf(await surety.consumers.get({ environment: "TEST", userId })), "UserIdNotFound")
    const anew = unwrap(await surety.consumers.ensure({ environment: "TEST", userId, linkedTo: scope.merchantId }))
    assert.notStrictEqual(anew.serviceId, customer.serviceId)
    assert.notProperty(anew, "displayName")
  })

  it("name whose money the host moves, once for a key, with an action", async () => {
    const { merchant, scope } = await makeSale(surety, "moved")
    const userId = "user-moved"
    const funding = {
      ...({ environment: "TEST", userId, kind: "FUNDING", idempotencyKey: "fund-1", amountMinor: 70_000n } as const),
      reason: "goodwill",
      actor: { kind: "OPERATOR", name: "support-7" } as const
    }
    const posted = unwrap(await surety.ledger.transfer(funding))
    assert.deepInclude(posted, { userId, amount: 700, amountMinor: 70_000n, replayed: false })
    assert.strictEqual(JSON.parse(JSON.stringify(posted)).amountMinor, "70000")
    assert.deepInclude(unwrap(await surety.ledger.transfer(funding)), { id: posted.id, replayed: true })
    assert.strictEqual(tagOf(await surety.ledger.transfer({ ...funding, amountMinor: 1n })), "IdempotencyKeyReused")
    const taken = { ...funding, kind: "WITHDRAWAL", idempotencyKey: "take-1", amountMinor: 999_999_999n } as const
    assert.strictEqual(tagOf(await surety.ledger.transfer(taken)), "InsufficientBalance")
    for (const wrong of [
      { ...funding, kind: "PAYOUT", idempotencyKey: "w1" } as const,
      { ...funding, merchantId: merchant.id, idempotencyKey: "w2" },
      { ...funding, direction: "DEBIT", idempotencyKey: "w3" } as const
    ]) {
      assert.strictEqual(tagOf(await surety.ledger.transfer(wrong)), "InvalidInput")
    }
    const { data: actions } = unwrap(await surety.actions.list({ kind: "transfer.posted", target: posted.id }))
    assert.lengthOf(actions, 1)
    assert.deepInclude(actions[0], { actor: { name: "support-7" }, reason: "goodwill" })
    let account: Surety.Balance | undefined
    for (let cursor: string | undefined = ""; account === undefined && cursor !== undefined; ) {
      const paging = cursor === "" ? {} : { cursor }
      const page: { data: ReadonlyArray<Surety.Balance>; nextCursor?: string } = unwrap(
        await surety.ledger.balances({ environment: "TEST", limit: 100, ...paging })
      )
      account = page.data.find(({ kind, owner }) => kind === "WALLET" && owner === userId)
      cursor = page.nextCursor
    }
    assert.strictEqual(account?.balanceMinor, 70_000n)
    const { data: postings } = unwrap(await surety.ledger.postings({ accountId: account?.id ?? "" }))
    assert.deepInclude(postings[0], { transferId: posted.id, side: "CREDIT", amountMinor: 70_000n })
    assert.strictEqual(tagOf(await surety.ledger.postings({ accountId: "bm9uZQ" })), "AccountNotFound")
    const paid = { merchantId: scope.merchantId, userId, amount: 5, fromBalance: true }
    assert.strictEqual(unwrap(await surety.sandbox.recordPayment(paid)).status, "SETTLED")
    assert.isTrue(unwrap(await surety.ledger.trialBalance()).balanced)
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
  })
})

describe("A transaction of the host's", () => {
  it("keeps or drops who is ensured, changed and paid in it", async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    const surety = await createSurety({ store: postgresStore({ pool }), secretsKey, targets: "any" })
    afterAll(async () => {
      await surety.close()
      await pool.end()
    })
    const environment = "TEST"
    const inOne = async (ending: "commit" | "rollback") => {
      const client = await pool.connect()
      await client.query("begin")
      const calls = surety.inTransaction(client)
      const merchant = unwrap(await calls.merchants.ensure({ externalId: ending, ...application }))
      const whom = { environment, userId: `user-${ending}` } as const
      unwrap(await calls.consumers.ensure({ ...whom, linkedTo: merchant.id }))
      unwrap(await calls.consumers.update({ ...whom, country: "NG", reason: "sent papers" }))
      unwrap(
        await calls.ledger.transfer({ ...whom, kind: "FUNDING", idempotencyKey: ending, amount: 5, reason: "gift" })
      )
      await client.query(ending)
      client.release()
      const found = await surety.consumers.get(whom)
      const { data: actions } = unwrap(await surety.actions.list({ kind: "transfer.posted" }))
      return [tagOf(found), tagOf(await surety.merchants.get({ externalId: ending })), actions.length]
    }
    assert.deepStrictEqual(await inOne("rollback"), ["UserIdNotFound", "ExternalIdNotFound", 0])
    assert.deepStrictEqual(await inOne("commit"), ["ok", "ok", 1])
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
  })
})
