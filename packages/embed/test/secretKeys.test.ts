import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createSurety, InvalidOptions, type LogLine, postgresStore, unwrap, WebhooksNotSigned } from "@surety/embed"
import { Pool } from "pg"
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { hostDatabase } from "./HostDatabase.js"
import { makeSale } from "./Shop.js"

const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64")
const [a, b, c] = [key(1), key(2), key(3)]

const pools: Array<Pool> = []
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

const makeStore = async () => {
  const pool = new Pool({ connectionString: await hostDatabase() })
  pool.on("error", () => {})
  pools.push(pool)
  return { pool, store: () => postgresStore({ pool }) }
}

describe("The secret keys of a store", () => {
  let declareLost: (id: string) => Promise<void>
  let endLeases: () => Promise<unknown>
  let withdrawLoss: (id: string) => Promise<void>
  let open: (...keys: ReadonlyArray<string>) => ReturnType<typeof createSurety>

  beforeEach(async () => {
    const { pool, store } = await makeStore()
    declareLost = async (id) => {
      const declare = "insert into surety.secret_key (key_id, lost) values ($1, true)"
      await pool.query(`${declare} on conflict (key_id) do update set lost = true`, [id])
    }
    endLeases = async () => {
      await pool.query("update surety.delivery set leased_until = null where leased_until is not null")
      await pool.query("update surety.endpoint_wake set at = '-infinity'")
    }
    withdrawLoss = async (id) => {
      await pool.query("delete from surety.secret_key where key_id = $1 and lost", [id])
    }
    open = (...keys) => createSurety({ store: store(), secretsKey: keys.join(","), targets: "any" })
  })

  const refusalOf = async (opening: Promise<unknown>): Promise<string> => {
    const failure = await opening.catch((cause: unknown) => cause)
    assert.instanceOf(failure, InvalidOptions)
    assert.match(failure.message, /secretsKey: /)
    for (const secret of [a, b, c]) assert.notInclude(failure.message, secret)
    return failure.message
  }

  it("are those that it was used with: another one stops the start, also if nothing was sealed yet", async () => {
    await (await open(a)).close()
    assert.match(
      await refusalOf(open(b)),
      /was used with secret key [0-9a-f]{8}, and the list has only key [0-9a-f]{8}/
    )
    await refusalOf(open(b, c))
    await (await open(a)).close()
  })

  it("rotate: a new one goes in front, and an older one may go once nothing is sealed under it", async () => {
    const first = await open(a)
    const { merchant } = await makeSale(first, "1")
    const url = "http://127.0.0.1:4000/"
    const endpoint = unwrap(await first.webhooks.register({ merchantId: merchant.id, environment: "TEST", url }))
    await first.close()
    await (await open(b, a)).close()
    const missing = await refusalOf(open(b))
    const [id] = /[0-9a-f]{8}/.exec(missing) ?? []
    assert.match(missing, /still in use were sealed under secret key/)
    assert.include(await refusalOf(open(c)), id ?? "")
    const second = await open(b, a)
    unwrap(await second.webhooks.remove({ merchantId: merchant.id, endpointId: endpoint.id }))
    await second.close()
    await (await open(b)).close()
    await (await open(c, b)).close()
  })

  it("may be lost for good: once that is said of one, the start goes on without it", async () => {
    const first = await open(a)
    const { merchant } = await makeSale(first, "1")
    unwrap(
      await first.webhooks.register({ merchantId: merchant.id, environment: "TEST", url: "http://127.0.0.1:4000/" })
    )
    await first.close()
    const [id = ""] = /[0-9a-f]{8}/.exec(await refusalOf(open(b))) ?? []
    await declareLost(id)
    await (await open(b)).close()
    await refusalOf(open(c))
  })

  it("end a run that cannot sign, which sends all other webhooks and says so, until the endpoint's secret is new", async () => {
    const received: Array<string> = []
    const receiver = createServer((request, response) => {
      request.resume()
      received.push(String(request.url))
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const { port } = receiver.address() as AddressInfo
    const address = `http://127.0.0.1:${port}`
    const first = await open(a)
    const { merchant, scope } = await makeSale(first, "1")
    const lost = unwrap(await first.webhooks.register({ ...scope, url: `${address}/lost` }))
    await first.close()
    const [id = ""] = /[0-9a-f]{8}/.exec(await refusalOf(open(b))) ?? []
    await declareLost(id)
    const second = await open(b)
    try {
      unwrap(await second.webhooks.register({ ...scope, url: `${address}/sound` }))
      unwrap(await second.payments.record({ ...scope, amount: 5 }))
      for (const run of [second.workers.runOnce, second.workers.drain]) {
        const error = await run().catch((cause: unknown) => cause)
        assert.instanceOf(error, WebhooksNotSigned)
        assert.strictEqual(error.name, "WebhooksNotSigned")
        assert.deepStrictEqual(error.endpointIds, [lost.id])
        assert.include(error.message, lost.id)
        assert.include(error.message, id)
        assert.notInclude(error.message, address)
        assert.deepStrictEqual(received, ["/sound"])
      }
      const target = { merchantId: merchant.id, endpointId: lost.id }
      unwrap(await second.webhooks.rotateSecret({ ...target, overlapSeconds: 0 }))
      await endLeases()
      await second.workers.runOnce()
      await second.workers.drain()
      assert.deepStrictEqual(received, ["/sound", "/lost"])
    } finally {
      await second.close()
      await new Promise((resolve) => receiver.close(resolve))
    }
  })

  it("may be found again: behind the active key at once, and in front once the declaration is withdrawn", async () => {
    const first = await open(a)
    const { merchant } = await makeSale(first, "1")
    const url = "http://127.0.0.1:4000/"
    unwrap(await first.webhooks.register({ merchantId: merchant.id, environment: "TEST", url }))
    await first.close()
    const [id = ""] = /[0-9a-f]{8}/.exec(await refusalOf(open(b))) ?? []
    await declareLost(id)
    await (await open(b)).close()
    const refusal = await refusalOf(open(a, b))
    assert.include(refusal, `The active secret key ${id} was declared lost`)
    assert.include(refusal, `delete its row (key_id '${id}') from the table secret_key`)
    await (await open(b, a)).close()
    await withdrawLoss(id)
    await (await open(a, b)).close()
    assert.include(await refusalOf(open(b)), id)
  })

  it("are one server's choice: of two that start at once with different ones on a new database, one is refused", async () => {
    const starts = await Promise.allSettled([open(a), open(b)])
    const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []))
    await Promise.all(started.map((surety) => surety.close()))
    assert.lengthOf(started, 1)
  })
})

describe("A store that lacks its tables", () => {
  it("stops the start of a server that may not make them", async () => {
    const lines: Array<LogLine> = []
    const url = await hostDatabase()
    const opening = createSurety({
      store: postgresStore({ url, migrate: false }),
      secretsKey: a,
      logger: (line) => lines.push(line)
    })
    assert.match(String(await opening.catch((cause: unknown) => cause)), /Surety cannot use its database: .*migrations/)
  })
})
