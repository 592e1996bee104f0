import pg from "pg"
import { executeRefund } from "../peer/executeRefund.ts"
import { fingerprint, readCommand } from "../peer/RefundCommand.ts"
import { closedLoop } from "./closedLoop.ts"
import type { LoadJob, LoadResult, MadeRefund, SqlTarget } from "./LoadJob.ts"
import { RefundOrders } from "./RefundOrders.ts"

const int8 = 20
const fingerprintKey = Buffer.alloc(32, 1)

const openAll = (connectionString: string, count: number): Promise<ReadonlyArray<pg.Client>> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      return client
    })
  )

/** Repeats the peer's refund transaction on direct database connections, without HTTP. */
export const sqlLoad = async (
  { connections, name, seconds, seed, target }: LoadJob<SqlTarget>,
  leftMinor: Map<string, number>
): Promise<LoadResult> => {
  pg.types.setTypeParser(int8, BigInt)
  const clients = await openAll(target.databaseUrl, connections)
  const orders = new RefundOrders(target.merchants, name, seed, leftMinor)
  const refunds: Array<MadeRefund> = []
  const result = await closedLoop(
    clients.map((client) => async () => {
      const { amountMinor, body, idempotencyKey, merchantId, paymentId } = orders.next()
      const command = readCommand(body)
      const answer = await executeRefund(client, {
        merchantId,
        environment: "LIVE",
        idempotencyKey,
        fingerprint: fingerprint(command, fingerprintKey),
        command
      })
      const { refundId }: { readonly refundId: string } = JSON.parse(answer.body)
      refunds.push({ refundId, merchantId, paymentId, idempotencyKey, amountMinor })
    }),
    seconds
  )
  await Promise.all(clients.map((client) => client.end()))
  return { ...result, refunds }
}
