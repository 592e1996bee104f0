import {
  createSurety,
  type HostPool,
  type HostWallet,
  migrations,
  postgresStore,
  type Surety,
  unwrap
} from "@surety/embed"
import { createTestKit } from "@surety/embed/testing"
import * as PgRoles from "@surety/postgres/PgRoles"
import { Client, Pool, type PoolClient, type QueryConfig } from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { asServing, migratedDatabase, ownedDatabase } from "./HostDatabase.js"
import { makeSale, secretsKey } from "./Shop.js"

const nameOf = (outcome: { readonly ok: boolean; readonly error?: { readonly name: string } }) =>
  outcome.ok ? "ok" : outcome.error?.name

describe("A queued call, in memory,", () => {
  it("is taken up once, after those before it in its queue", async () => {
    await using kit = await createTestKit()
    const { scope, surety } = kit
    const environment = scope.environment
    const queue = "user-7"
    const enqueue = (key: string, kind: Surety.HostRequestInput["kind"], payload: Surety.HostRequestInput["payload"]) =>
      surety.hostRequests.enqueue({ key, kind, payload, queue })
    const pay = { ...scope, userId: "user-7", transactionId: "order-7", amountMinor: 50_000n }
    unwrap(await enqueue("join-7", "consumers.ensure", { environment, userId: "user-7", displayName: "Ife Ojo" }))
    unwrap(await enqueue("link-7", "consumers.link", { ...scope, userId: "user-7" }))
    unwrap(await enqueue("pay-7", "payments.record", pay))
    unwrap(await enqueue("return-7", "refunds.create", { ...scope, transactionId: "order-7", amountMinor: 20_000n }))
    const again = unwrap(await enqueue("pay-7", "payments.record", pay))
    assert.deepInclude(again, { id: "pay-7", status: "PENDING", attempts: 0 })
    assert.strictEqual(
      nameOf(await enqueue("pay-7", "payments.record", { ...pay, amountMinor: 1n })),
      "HostRequestKeyReused"
    )
    await kit.runUntilIdle()
    assert.deepStrictEqual(unwrap(await surety.hostRequests.get({ key: "join-7" })).result, {})
    const { result, status } = unwrap(await surety.hostRequests.wait({ key: "return-7", timeoutSeconds: 0 }))
    assert.deepInclude(result, { status: "COMPLETED", amountMinor: 20_000n, currency: "NGN" })
    assert.strictEqual(status, "DONE")
    assert.include(JSON.stringify(result), '"amountMinor":"20000"')
    const { refundedAmountMinor, userId } = unwrap(await surety.payments.get({ ...scope, transactionId: "order-7" }))
    assert.deepStrictEqual([refundedAmountMinor, userId], [20_000n, "user-7"])
    assert.lengthOf(kit.inbox.of("refund.completed"), 1)
  })

  it("that cannot be done ends with an error, at once, and holds up no other", async () => {
    await using kit = await createTestKit()
    const { scope, surety } = kit
    const queue = "one"
    const faulty = [
      ["none", { ...scope, transactionId: "no-order" }],
      ["words", { ...scope, transactionId: "order-1", amountMinor: "much" }],
      ["excess", { ...scope, transactionId: "order-1", amountMinor: 99_999_999 }],
      ["empty", {}]
    ] as const
    for (const [key, payload] of faulty) {
      unwrap(await surety.hostRequests.enqueue({ key, kind: "refunds.create", payload, queue }))
    }
    const sound = { ...scope, transactionId: "order-1", amount: 10 }
    unwrap(await surety.hostRequests.enqueue({ key: "sound", kind: "refunds.create", payload: sound, queue }))
    await kit.runUntilIdle()
    const ends = await Promise.all([...faulty, ["sound"] as const].map(([key]) => surety.hostRequests.get({ key })))
    assert.deepStrictEqual(
      ends.map((end) => {
        const { error, status } = unwrap(end)
        return [status, error?.name, error?.reason]
      }),
      [
        ["FAILED", "RefundRefused", "RefundPaymentNotFound"],
        ["FAILED", "InvalidInput", undefined],
        ["FAILED", "RefundRefused", "AmountExceedsRefundable"],
        ["FAILED", "InvalidInput", undefined],
        ["DONE", undefined, undefined]
      ]
    )
    assert.strictEqual(nameOf(await surety.hostRequests.get({ key: "unknown" })), "HostRequestNotFound")
  })

  it("that has no JSON is refused with its fault, for any reason", async () => {
    await using kit = await createTestKit()
    const circular: Record<string, unknown> = {}
    circular.self = circular
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 100_000; level += 1) deep = { deep }
    const entity = { id: 7, self: circular, toJSON: () => ({ id: 7 }) }
    const fails = () => {
      throw new Error("no value")
    }
    const codeOf = async (payload: Record<string, unknown>) => {
      const outcome = await kit.surety.hostRequests.enqueue({ key: "odd", kind: "refunds.create", payload })
      return outcome.ok ? "ok" : Reflect.get(outcome.error, "faults")?.[0]?.code
    }
    const odd: ReadonlyArray<readonly [Record<string, unknown>, string]> = [
      [circular, "wrong_type"],
      [deep, "wrong_type"],
      [{ toJSON: fails }, "wrong_type"],
      [{ toJSON: () => undefined }, "wrong_type"],
      [{ toJSON: () => [] }, "wrong_type"],
      [{ text: "a\u0000" }, "invalid_characters"],
      [{ inner: { toJSON: () => "\ud800" } }, "invalid_characters"],
      [{ text: "x".repeat(70_000) }, "too_long"],
      [{ list: Array.from({ length: 25_000 }, () => 1) }, "too_long"],
      [{ list: Array.from({ length: 400 }, () => 1e300) }, "too_long"],
      [{ inner: { toJSON: () => undefined } }, "wrong_type"],
      [{ list: [undefined] }, "wrong_type"],
      [{ entity, amountMinor: 5n }, "ok"]
    ]
    for (const [payload, code] of odd) assert.strictEqual(await codeOf(payload), code)
    await kit.runUntilIdle()
    assert.strictEqual(unwrap(await kit.surety.hostRequests.get({ key: "odd" })).error?.name, "InvalidInput")
  })

  it("whose amount or items are there but undefined is refused: without them it would refund the whole payment", async () => {
    await using kit = await createTestKit()
    const { scope, surety } = kit
    const payment = { ...scope, transactionId: "order-1" }
    const direct = { ...payment, idempotencyKey: "lost", amountMinor: undefined }
    // @ts-expect-error: the types of a direct call reject it too
    assert.strictEqual(nameOf(await surety.refunds.create(direct)), "InvalidInput")
    for (const lost of [{ amountMinor: undefined }, { amount: undefined }, { items: undefined }]) {
      const payload = { ...payment, ...lost }
      const outcome = await surety.hostRequests.enqueue({ key: "lost", kind: "refunds.create", payload })
      assert.strictEqual(nameOf(outcome), "InvalidInput")
      assert.include(outcome.ok ? "" : outcome.error.message, Object.keys(lost).join())
    }
    await kit.runUntilIdle()
    assert.strictEqual(unwrap(await surety.payments.get(payment)).refundedAmountMinor, 0n)
  })

  it("waits for the host's wallet, which is asked by one refund id, and credits once", async () => {
    const asked: Array<string> = []
    let isUp = false
    const wallet: HostWallet = {
      credit: async ({ refundId }) => {
        asked.push(refundId)
        if (!isUp) throw new Error("down")
        return { credited: true }
      }
    }
    await using kit = await createTestKit({ wallet, onError: () => {} })
    const { clock, scope, surety } = kit
    const payload = { ...scope, transactionId: "order-1" }
    unwrap(await surety.hostRequests.enqueue({ key: "return-1", kind: "refunds.create", payload }))
    await kit.runUntilIdle()
    const waiting = unwrap(await surety.hostRequests.get({ key: "return-1" }))
    assert.strictEqual(waiting.status, "PENDING")
    assert.deepInclude(waiting.result, { status: "PENDING" })
    isUp = true
    clock.advance({ seconds: 660 })
    await kit.runUntilIdle()
    const done = unwrap(await surety.hostRequests.get({ key: "return-1" }))
    assert.deepInclude(done, { status: "DONE" })
    assert.strictEqual(done.result?.id, waiting.result?.id)
    assert.strictEqual(new Set(asked).size, 1)
    assert.lengthOf(unwrap(await surety.refunds.list(scope)).data, 1)
  })

  it("ends as its refund does if the wallet declines, and is not tried again", async () => {
    let asked = 0
    const wallet: HostWallet = {
      credit: async () => {
        asked += 1
        return { declined: "frozen" }
      }
    }
    await using kit = await createTestKit({ wallet })
    const { clock, scope, surety } = kit
    const payload = { ...scope, transactionId: "order-1" }
    unwrap(await surety.hostRequests.enqueue({ key: "return-1", kind: "refunds.create", payload }))
    await kit.runUntilIdle()
    clock.advance({ hours: 2 })
    await kit.runUntilIdle()
    const { error, status } = unwrap(await surety.hostRequests.get({ key: "return-1" }))
    assert.deepStrictEqual([status, error?.reason, asked], ["FAILED", "WalletDeclined", 1])
  })
})

describe("A row in surety.requests", () => {
  let ownedUrl: string
  let pool: Pool
  let surety: Surety

  beforeAll(async () => {
    ownedUrl = await ownedDatabase()
    pool = new Pool({ connectionString: asServing(ownedUrl) })
    pool.on("error", () => {})
    surety = await createSurety({ store: postgresStore({ pool }), secretsKey, targets: "any" })
    afterAll(async () => {
      await surety.close()
      await pool.end()
    })
  })

  const insert = "insert into surety.requests (key, kind, payload) values ($1, 'refunds.create', $2)"

  it("is the same again, or an error: no clause of the host's makes another one silent", async () => {
    const one = { transactionId: "one" }
    await pool.query(insert, ["same", one])
    assert.strictEqual((await pool.query(insert, ["same", one])).rowCount, 0)
    for (const clause of ["", " on conflict do nothing"]) {
      const failure = await pool.query(insert + clause, ["same", { transactionId: "two" }]).catch((cause) => cause)
      assert.deepInclude(failure, { code: "23505", constraint: "requests_pkey" })
    }
    const [first, second] = [await pool.connect(), await pool.connect()]
    await first.query("begin")
    await first.query(insert, ["race", one])
    const racing = second
      .query(`${insert} on conflict do nothing`, ["race", { transactionId: "two" }])
      .catch((cause) => cause)
    await first.query("commit")
    assert.include(["23505", "55000"], (await racing).code)
    const kept = await pool.query("select payload from surety.requests where key = 'race'")
    assert.deepStrictEqual(kept.rows, [{ payload: one }])
    first.release()
    second.release()
  })

  it("says nothing but what a host may say", async () => {
    await pool.query(`
      insert into surety.requests (key, kind, payload, status, attempts, result, ended_at, fence, id, fingerprint)
      values ('forged', 'x', '{}', 'DONE', 99, '{"id":"refund_x"}', now(), 7, 1, 'x')`)
    const forged = unwrap(await surety.hostRequests.get({ key: "forged" }))
    assert.deepInclude(forged, { status: "PENDING", attempts: 0 })
    assert.isUndefined(forged.result)
    await surety.workers.runOnce()
    assert.strictEqual(unwrap(await surety.hostRequests.get({ key: "forged" })).error?.name, "UnknownKind")
    for (const payload of ["[]", '"text"', "null", JSON.stringify({ text: "x".repeat(70_000) })]) {
      const failure = await pool.query(insert, ["malformed", payload]).catch((cause) => cause)
      assert.deepInclude(failure, { code: "23514" }, payload.slice(0, 20))
    }
  })

  it("is inserted by a role that may do no more, even if it served before", async () => {
    const role = `orders_${new URL(ownedUrl).pathname.slice(1)}`
    const owner = new Client({ connectionString: ownedUrl })
    await owner.connect()
    await owner.query(`create role ${role} login password 'orders'`)
    await owner.query(PgRoles.script("surety", role))
    await owner.query(migrations.requestRoleSql(role))
    const limited = new URL(ownedUrl)
    limited.username = role
    limited.password = "orders"
    const client = new Client({ connectionString: limited.href })
    await client.connect()
    assert.strictEqual((await client.query(insert, ["by-role", {}])).rowCount, 1)
    for (const statement of [
      "select key from surety.requests",
      "update surety.requests set kind = 'x'",
      "delete from surety.requests",
      "insert into surety.requests (key, kind, payload, status) values ('k', 'x', '{}', 'DONE')",
      "select 1 from surety.refund",
      "select nextval('surety.requests_id_seq')",
      "select surety.make_partitions()"
    ]) {
      const failure = await client.query(statement).catch((cause) => cause)
      assert.deepInclude(failure, { code: "42501" }, statement)
    }
    await client.end()
    await owner.query(`drop owned by ${role} cascade; drop role ${role}`)
    await owner.end()
  })

  it("joins the host's transaction also by the call", async () => {
    const transactional = await createSurety({
      store: postgresStore({ pool, migrate: false }),
      secretsKey,
      targets: "any"
    })
    const client = await pool.connect()
    await client.query("begin")
    const { hostRequests } = transactional.inTransaction(client)
    const given = { key: "joined", kind: "payments.settle", payload: {} } as const
    unwrap(await hostRequests.enqueue(given))
    assert.strictEqual(nameOf(await hostRequests.enqueue({ ...given, payload: { a: 1 } })), "HostRequestKeyReused")
    assert.strictEqual(nameOf(await surety.hostRequests.get({ key: "joined" })), "HostRequestNotFound")
    await client.query("commit")
    client.release()
    assert.strictEqual(nameOf(await surety.hostRequests.get({ key: "joined" })), "ok")
    await transactional.close()
  })
})

/** Wraps a pool to simulate a process that dies during its `left`-th statement, after the database has run it. */
const dyingPool = (pool: Pool, left: number) => {
  let statements = 0
  let isDead = false
  const died = () => new Error("this process is dead")
  const lend = (client: PoolClient) => ({
    query: async (query: QueryConfig) => {
      if (isDead) throw died()
      const answer = await client.query(query)
      statements += 1
      if (statements < left && !isDead) return answer
      isDead = true
      throw died()
    },
    // After a process dies, its connections are closed, and the server rolls back their open transactions.
    release: (destroy?: boolean) => client.release(destroy === true || isDead)
  })
  const dying: HostPool = {
    connect: async () => {
      if (isDead) throw died()
      return lend(await pool.connect())
    }
  }
  return { dying, isDead: () => isDead }
}

describe("A refund that was begun", () => {
  it("by a call is looked up outside the transaction of the queued call that takes it up", async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    const open = `select count(*)::int as open from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`
    const openAtLookup: Array<number> = []
    const surety = await createSurety({
      store: postgresStore({ pool }),
      secretsKey,
      targets: "any",
      wallet: {
        credit: () => Promise.reject(new Error("down")),
        lookup: async () => {
          openAtLookup.push((await pool.query(open)).rows[0].open)
          return { credited: true }
        }
      },
      onError: () => {}
    })
    try {
      const { scope } = await makeSale(surety, "taken")
      const payload = { ...scope, transactionId: "order-taken", idempotencyKey: "return-taken" }
      assert.strictEqual(nameOf(await surety.refunds.create(payload)), "RefundOutcomeUnknown")
      unwrap(await surety.hostRequests.enqueue({ key: "taken", kind: "refunds.create", payload }))
      await surety.workers.runOnce()
      const { result, status } = unwrap(await surety.hostRequests.get({ key: "taken" }))
      assert.deepStrictEqual([status, result?.status, openAtLookup], ["DONE", "COMPLETED", [0]])
    } finally {
      await surety.close()
      await pool.end()
    }
  })

  it("by a call whose wallet is slow is not waited for in the transaction of a queued call", async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const credit = async () => {
      asked.resolve()
      await gate.promise
      return { credited: true } as const
    }
    const surety = await createSurety({
      store: postgresStore({ pool }),
      secretsKey,
      targets: "any",
      wallet: { credit }
    })
    try {
      const { scope } = await makeSale(surety, "slow")
      const payload = { ...scope, transactionId: "order-slow", idempotencyKey: "return-slow" }
      const slow = surety.refunds.create(payload)
      await asked.promise
      unwrap(await surety.hostRequests.enqueue({ key: "slow", kind: "refunds.create", payload }))
      const startedAt = performance.now()
      await surety.workers.runOnce()
      assert.isBelow(performance.now() - startedAt, 4_000)
      assert.strictEqual(unwrap(await surety.hostRequests.get({ key: "slow" })).status, "PENDING")
      gate.resolve()
      assert.strictEqual(unwrap(await slow).status, "COMPLETED")
    } finally {
      gate.resolve()
      await surety.close()
      await pool.end()
    }
  })

  it("is never given up, however many attempts left no outcome", async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    let isUp = false
    const credit = async () => {
      if (!isUp) throw new Error("down")
      return { credited: true } as const
    }
    const surety = await createSurety({
      store: postgresStore({ pool }),
      secretsKey,
      targets: "any",
      wallet: { credit },
      onError: () => {}
    })
    try {
      const { scope } = await makeSale(surety, "begun")
      const payload = { ...scope, transactionId: "order-begun" }
      unwrap(await surety.hostRequests.enqueue({ key: "begun", kind: "refunds.create", payload }))
      await surety.workers.runOnce()
      isUp = true
      // Leaves the rows as if workers had died 40 times while calling the wallet.
      await pool.query(
        `update surety.requests set attempts = 40, due_at = now() - interval '2 seconds',
          leased_until = now() - interval '1 second'`
      )
      await pool.query("update surety.refund set leased_until = null where leased_until is not null")
      await surety.workers.runOnce()
      const { result, status } = unwrap(await surety.hostRequests.get({ key: "begun" }))
      assert.deepStrictEqual([status, result?.status], ["DONE", "COMPLETED"])
    } finally {
      await surety.close()
      await pool.end()
    }
  })
})

describe("A worker that dies at any statement", () => {
  it("leaves a refund that another worker makes, once, and a wallet that has credited it once", {
    timeout: 240_000
  }, async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    const credited = new Map<string, number>()
    const wallet: HostWallet = {
      credit: async ({ refundId }) => {
        credited.set(refundId, (credited.get(refundId) ?? 0) + 1)
        return { credited: true }
      },
      lookup: async ({ refundId }) => (credited.has(refundId) ? { credited: true } : { notKnown: true })
    }
    const open = (from: HostPool, migrate: boolean) =>
      createSurety({
        store: postgresStore({ pool: from, migrate }),
        secretsKey,
        targets: "any",
        wallet,
        onError: () => {}
      })
    const sound = await open(pool, true)
    afterAll(async () => {
      await sound.close()
      await pool.end()
    })
    let deaths = 0
    for (let left = 1; ; left += 1) {
      const { scope } = await makeSale(sound, String(left))
      const key = `return-${left}`
      const payload = { ...scope, transactionId: `order-${left}` }
      unwrap(await sound.hostRequests.enqueue({ key, kind: "refunds.create", payload }))
      const { dying, isDead } = dyingPool(pool, Number.POSITIVE_INFINITY)
      const doomed = dyingPool(pool, left)
      let current: HostPool = dying
      const mortal = await open({ connect: () => current.connect() }, false)
      current = doomed.dying
      await mortal.workers.runOnce().catch(() => {})
      const status = unwrap(await sound.hostRequests.get({ key })).status
      current = dying
      await mortal.close()
      assert.isFalse(isDead())
      if (doomed.isDead()) deaths += 1
      if (status === "PENDING") {
        // Ends the leases of the dead process.
        await pool.query(
          "update surety.requests set leased_until = null, due_at = now() - interval '1 second' where status = 'PENDING'"
        )
        await pool.query("update surety.refund set leased_until = null where leased_until is not null")
        await sound.workers.runOnce()
      }
      const refunds = unwrap(await sound.refunds.list(scope)).data
      assert.deepStrictEqual(
        refunds.map((refund) => refund.status),
        ["COMPLETED"],
        `after ${left} statements`
      )
      const { result } = unwrap(await sound.hostRequests.get({ key }))
      assert.deepInclude(result, { status: "COMPLETED", amountMinor: 100_000n }, `after ${left} statements`)
      assert.strictEqual(result?.id, refunds[0]?.id)
      assert.strictEqual(credited.get(refunds[0]?.id ?? ""), 1, `after ${left} statements`)
      if (!doomed.isDead() || (status === "DONE" && left > 8)) break
    }
    assert.isAbove(deaths, 8)
    assert.deepStrictEqual(unwrap(await sound.ledger.audit()), { faults: [] })
  })
})
