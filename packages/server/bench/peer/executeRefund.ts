import { randomUUID } from "node:crypto"
import type { ClientBase, QueryConfig } from "pg"
import { decideRefund, type LockedPayment, type Refundable, settlementTooSmall } from "./decideRefund.ts"
import { toMajor } from "./money.ts"
import type { RefundCommand } from "./RefundCommand.ts"
import { Refusal } from "./Refusal.ts"
import { statements } from "./statements.ts"

export interface RefundOrder {
  readonly merchantId: string
  readonly environment: string
  readonly idempotencyKey: string
  readonly fingerprint: string
  readonly command: RefundCommand
}

export interface RefundAnswer {
  readonly body: string
  readonly replayed: boolean
}

/** Another transaction committed a refund with this key concurrently. */
class KeyTaken extends Error {}

const readPrior = async (client: ClientBase, order: RefundOrder): Promise<RefundAnswer | undefined> => {
  const { merchantId, environment, idempotencyKey } = order
  const values = [merchantId, environment, idempotencyKey]
  const { rows } = await client.query<{ fingerprint: string; answer: string }>({ ...statements.prior, values })
  const prior = rows[0]
  if (prior === undefined) return undefined
  if (prior.fingerprint !== order.fingerprint) {
    throw new Refusal(409, "idempotency_key_reused", "The key was used for another request.")
  }
  return { body: prior.answer, replayed: true }
}

const lockPayment = async (client: ClientBase, order: RefundOrder): Promise<LockedPayment | undefined> => {
  const { command, environment, merchantId } = order
  const lookUp =
    command.paymentId === null
      ? { ...statements.paymentByReference, values: [merchantId, environment, command.reference] }
      : { ...statements.paymentById, values: [merchantId, environment, command.paymentId] }
  const { rows } = await client.query<LockedPayment>(lookUp)
  return rows[0]
}

/** The response's record; without the items, the event's payload. */
const recordOf = (order: RefundOrder, { payment, amountMinor }: Refundable, refundId: string, at: Date) => ({
  merchantId: order.merchantId,
  refundId,
  transactionId: payment.id,
  reference: payment.reference ?? undefined,
  amount: toMajor(amountMinor, payment.currency),
  currency: payment.currency,
  reason: order.command.reason ?? undefined,
  status: "COMPLETED",
  serviceId: payment.service_id ?? undefined,
  completedAt: at.toISOString(),
  merchantReference: order.command.merchantReference ?? undefined
})

const itemsOf = ({ command }: RefundOrder) =>
  command.items?.map(({ amountMinor, reason }) => ({
    amount: toMajor(amountMinor, command.currency),
    currency: command.currency,
    reason: reason ?? undefined
  }))

const rowsOf = async (client: ClientBase, query: QueryConfig): Promise<number> =>
  (await client.query(query)).rowCount ?? 0

/** Writes the refund, its transfer and its event. The contended merchant account is locked last. */
const write = async (client: ClientBase, order: RefundOrder, refundable: Refundable): Promise<RefundAnswer> => {
  const { environment, idempotencyKey, fingerprint, merchantId, command } = order
  const { payment, amountMinor, settlementAccount, walletAccount } = refundable
  const id = uuidV7()
  const at = new Date()
  const record = recordOf(order, refundable, id, at)
  const items = itemsOf(order)
  const body = JSON.stringify({ ...record, items })
  const send = (statement: { readonly name: string; readonly text: string }, values: Array<unknown>) =>
    rowsOf(client, { ...statement, values })

  const inserted = await send(statements.insertRefund, [
    ...[id, merchantId, environment, idempotencyKey, fingerprint, body, payment.id, amountMinor, payment.currency],
    ...[command.reason, command.merchantReference, items === undefined ? null : JSON.stringify(items), at]
  ])
  if (inserted === 0) throw new KeyTaken()
  await send(statements.raiseRefunded, [merchantId, environment, payment.id, amountMinor])
  await send(statements.insertTransfer, [
    ...[uuidV7(), settlementAccount, walletAccount, amountMinor, payment.currency, id, at]
  ])
  await send(statements.insertEvent, [uuidV7(), merchantId, environment, JSON.stringify(record), at])
  await send(statements.creditWallet, [walletAccount, amountMinor])
  const taken = await send(statements.debitSettlement, [settlementAccount, amountMinor, payment.settlement_overdraft])
  if (taken === 0) throw settlementTooSmall()
  return { body, replayed: false }
}

/** The transaction: read, decide, write; rolled back on a refusal. */
const attempt = async (client: ClientBase, order: RefundOrder): Promise<RefundAnswer> => {
  await client.query("begin")
  try {
    const prior = await readPrior(client, order)
    const answer = prior ?? (await write(client, order, decideRefund(await lockPayment(client, order), order.command)))
    await client.query("commit")
    return answer
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

/** Makes the refund, or replays its key's response. Throws a `Refusal` if a rule forbids it. */
export const executeRefund = async (client: ClientBase, order: RefundOrder): Promise<RefundAnswer> => {
  while (true) {
    try {
      return await attempt(client, order)
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
    }
  }
}

/** A UUIDv7: ids that grow with time keep new index entries on one page. */
export const uuidV7 = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
