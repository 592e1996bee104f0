import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createSurety, InvalidOptions, type LogLine, postgresStore, unwrap, WebhooksNotSigned } from "@surety/embed"
import { Pool } from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hostDatabase } from "./HostDatabase.js"
import { makeSale } from "./Shop.js"

const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64")

const received: Array<string> = []
const receiver = createServer((request, response) => {
  request.resume()
  received.push(String(request.url))
  response.writeHead(200).end()
})
let address: string

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  address = `http://127.0.0.1:${port}`
})
afterAll(() => new Promise((resolve) => receiver.close(resolve)))

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

describe("Webhooks whose secret was sealed under a lost key", () => {
  it("end a round and a wait, which say so, send all others, and are sent once the secret is a new one", async () => {
    const pool = new Pool({ connectionString: await hostDatabase() })
    pool.on("error", () => {})
    const lines: Array<LogLine> = []
    const open = (byte: number) =>
      createSurety({
        store: postgresStore({ pool }),
        secretsKey: key(byte),
        targets: "any",
        logger: (line) => lines.push(line)
      })
    const first = await open(1)
    const { merchant, scope } = await makeSale(first, "1")
    const lost = unwrap(await first.webhooks.register({ ...scope, url: `${address}/lost` }))
    await first.close()
    const refused = await failureOf(open(2))
    assert.instanceOf(refused, InvalidOptions)
    const [keyId = ""] = /[0-9a-f]{8}/.exec(refused.message) ?? []
    const declare = "insert into surety.secret_key (key_id, lost) values ($1, true)"
    await pool.query(`${declare} on conflict (key_id) do update set lost = true`, [keyId])

    const second = await open(2)
    try {
      unwrap(await second.webhooks.register({ ...scope, url: `${address}/sound` }))
      unwrap(await second.payments.record({ ...scope, amount: 5 }))
      for (const work of [second.workers.runOnce, second.workers.drain]) {
        const error = await failureOf(work())
        assert.instanceOf(error, WebhooksNotSigned)
        assert.strictEqual(error.name, "WebhooksNotSigned")
        assert.deepStrictEqual(error.endpointIds, [lost.id])
        assert.include(error.message, lost.id)
        assert.include(error.message, keyId)
        assert.notInclude(error.message, address)
        assert.deepStrictEqual(received, ["/sound"])
      }
      const target = { merchantId: merchant.id, endpointId: lost.id }
      unwrap(await second.webhooks.rotateSecret({ ...target, overlapSeconds: 0 }))
      await pool.query("update surety.delivery set leased_until = null where leased_until is not null")
      await pool.query("update surety.endpoint_wake set at = '-infinity'")
      await second.workers.runOnce()
      await second.workers.drain()
      assert.deepStrictEqual(received, ["/sound", "/lost"])
    } finally {
      await second.close()
      await pool.end()
    }
  })
})
