import { closedLoop, type Exchange } from "./closedLoop.ts"
import { type HttpAnswer, KeepAliveConnection } from "./KeepAliveConnection.ts"
import type { BenchMerchant, HttpTarget, LoadJob, LoadResult, MadeRefund } from "./LoadJob.ts"
import { type RefundOrder, RefundOrders } from "./RefundOrders.ts"

const openAll = (origin: string, count: number): Promise<ReadonlyArray<KeepAliveConnection>> => {
  const { hostname, port } = new URL(origin)
  return Promise.all(Array.from({ length: count }, () => KeepAliveConnection.open(hostname, Number(port))))
}

const run = async (
  { connections, seconds, target }: LoadJob<HttpTarget>,
  exchange: (connection: KeepAliveConnection) => Exchange
): Promise<Omit<LoadResult, "refunds">> => {
  const opened = await openAll(target.origin, connections)
  const result = await closedLoop(opened.map(exchange), seconds)
  for (const connection of opened) connection.close()
  return result
}

const expectStatus = (answer: HttpAnswer, status: number): void => {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.body}`)
}

/** Repeats `GET /v1/whoami` with the first merchant's key. Fails unless every response is a 200 with that merchant. */
export const whoamiLoad = async (job: LoadJob<HttpTarget>): Promise<LoadResult> => {
  const merchant = firstOf(job.target.merchants)
  const { host } = new URL(job.target.origin)
  const request = `GET /v1/whoami HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${merchant.apiKey}\r\n\r\n`
  const result = await run(job, (connection) => async () => {
    const answer = await connection.send(request)
    expectStatus(answer, 200)
    if (!answer.body.includes(merchant.id)) throw new Error(`Response names another merchant: ${answer.body}`)
  })
  return { ...result, refunds: [] }
}

const firstOf = (merchants: ReadonlyArray<BenchMerchant>): BenchMerchant => {
  const [first] = merchants
  if (first === undefined) throw new Error("No merchant")
  return first
}

const requestOf = (order: RefundOrder, host: string): string => {
  const body = JSON.stringify(order.body)
  return (
    `POST /v1/refunds HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${order.apiKey}\r\n` +
    `Content-Type: application/json\r\nIdempotency-Key: ${order.idempotencyKey}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  )
}

const readRefund = (order: RefundOrder, text: string): MadeRefund => {
  const record: Record<string, unknown> = JSON.parse(text)
  const { body } = order
  const { refundId } = record
  const isAsAsked =
    record.merchantId === order.merchantId &&
    record.transactionId === body.transaction_id &&
    record.amount === body.amount &&
    record.currency === body.currency &&
    record.reason === body.reason &&
    record.merchantReference === body.merchant_reference &&
    record.status === "COMPLETED" &&
    typeof record.completedAt === "string"
  if (!isAsAsked || typeof refundId !== "string") throw new Error(`Response is not the requested refund: ${text}`)
  const { amountMinor, idempotencyKey, merchantId, paymentId } = order
  return { refundId, merchantId, paymentId, idempotencyKey, amountMinor }
}

/** Sends refunds and checks every response: the status immediately, the body after the round. */
export const refundLoad = async (job: LoadJob<HttpTarget>, leftMinor: Map<string, number>): Promise<LoadResult> => {
  const { host } = new URL(job.target.origin)
  const orders = new RefundOrders(job.target.merchants, job.name, job.seed, leftMinor)
  const answered: Array<{ readonly order: RefundOrder; readonly body: string }> = []
  const result = await run(job, (connection) => async () => {
    const order = orders.next()
    const answer = await connection.send(requestOf(order, host))
    expectStatus(answer, 201)
    answered.push({ order, body: answer.body })
  })
  return { ...result, refunds: answered.map(({ body, order }) => readRefund(order, body)) }
}
