import { randomUUID } from "node:crypto"
import type { ClientBase } from "pg"
import {
  type Allowed,
  decideOnPayment,
  decideRefund,
  type LockedPayment,
  type PlainPayment,
  settlementTooSmall
} from "./decideRefund.ts"
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

interface Statement {
  readonly name: string
  readonly text: string
}

/** Thrown if another transaction concurrently committed a refund with the same key. */
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

/** Statements that find and lock a payment. */
interface Locks {
  readonly byId: Statement
  readonly byReference: Statement
}

const lockPayment = async <P extends PlainPayment>(
  client: ClientBase,
  { command, environment, merchantId }: RefundOrder,
  { byId, byReference }: Locks
): Promise<P | undefined> => {
  const lookUp =
    command.paymentId === null
      ? { ...byReference, values: [merchantId, environment, command.reference] }
      : { ...byId, values: [merchantId, environment, command.paymentId] }
  const { rows } = await client.query<P>(lookUp)
  return rows[0]
}

/**
 * Decides from the locked payment, writes the refund and returns the response body. Throws a `Refusal` if a rule forbids
 * the refund, or `KeyTaken` if its key already has a refund.
 */
type Write<P extends PlainPayment = LockedPayment> = (
  client: ClientBase,
  order: RefundOrder,
  locked: P | undefined
) => Promise<string>

/** Builds the event's payload. The response is the same record with the items. */
const recordOf = (order: RefundOrder, { payment, amountMinor }: Allowed<PlainPayment>, refundId: string, at: Date) => ({
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

const send = async (client: ClientBase, statement: Statement, values: Array<unknown>): Promise<number> =>
  (await client.query({ ...statement, values })).rowCount ?? 0

interface Written {
  readonly id: string
  readonly at: Date
  readonly payload: string
  readonly body: string
}

const writeRefund = async (
  client: ClientBase,
  order: RefundOrder,
  allowed: Allowed<PlainPayment>
): Promise<Written> => {
  const { environment, idempotencyKey, fingerprint, merchantId, command } = order
  const { amountMinor, payment } = allowed
  const id = uuidV7()
  const at = new Date()
  const record = recordOf(order, allowed, id, at)
  const items = itemsOf(order)
  const body = JSON.stringify({ ...record, items })
  const inserted = await send(client, statements.insertRefund, [
    ...[id, merchantId, environment, idempotencyKey, fingerprint, body, payment.id, amountMinor, payment.currency],
    ...[command.reason, command.merchantReference, items === undefined ? null : JSON.stringify(items), at]
  ])
  if (inserted === 0) throw new KeyTaken()
  await send(client, statements.raiseRefunded, [merchantId, environment, payment.id, amountMinor])
  return { id, at, payload: JSON.stringify(record), body }
}

/** Locks the contended settlement account last, so that its lock is held briefly. */
const writeAll: Write = async (client, order, locked) => {
  const { environment, merchantId } = order
  const refundable = decideRefund(locked, order.command)
  const { payment, amountMinor, settlementAccount, walletAccount } = refundable
  const { at, body, id, payload } = await writeRefund(client, order, refundable)
  await send(client, statements.insertTransfer, [
    ...[uuidV7(), settlementAccount, walletAccount, amountMinor, payment.currency, id, at]
  ])
  await send(client, statements.insertEvent, [uuidV7(), merchantId, environment, payload, at])
  await send(client, statements.creditWallet, [walletAccount, amountMinor])
  const debit = [settlementAccount, amountMinor, payment.settlement_overdraft]
  if ((await send(client, statements.debitSettlement, debit)) === 0) throw settlementTooSmall()
  return body
}

const writePlainly: Write<PlainPayment> = async (client, order, locked) => {
  const { at, body, payload } = await writeRefund(client, order, decideOnPayment(locked, order.command))
  await send(client, statements.insertPlainEvent, [uuidV7(), order.merchantId, order.environment, payload, at])
  return body
}

const attempt = async <P extends PlainPayment>(
  client: ClientBase,
  order: RefundOrder,
  locks: Locks,
  write: Write<P>
): Promise<RefundAnswer> => {
  await client.query("begin")
  try {
    const prior = await readPrior(client, order)
    const answer = prior ?? {
      body: await write(client, order, await lockPayment<P>(client, order, locks)),
      replayed: false
    }
    await client.query("commit")
    return answer
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

/**
 * Executes a refund, or replays the response stored for its key. Throws a `Refusal` if a rule forbids the refund, or if
 * its key was used for another request.
 */
export type ExecuteRefund = (client: ClientBase, order: RefundOrder) => Promise<RefundAnswer>

const executing =
  <P extends PlainPayment>(locks: Locks, write: Write<P>): ExecuteRefund =>
  async (client, order) => {
    while (true) {
      try {
        return await attempt(client, order, locks, write)
      } catch (error) {
        if (!(error instanceof KeyTaken)) throw error
      }
    }
  }

/** For the full peer: writes what `executePlainRefund` writes, plus a transfer, both balances and the deliveries. */
export const executeRefund = executing(
  { byId: statements.paymentById, byReference: statements.paymentByReference },
  writeAll
)

/** For the simple peer: writes only the refund, the payment's refunded total and the event. */
export const executePlainRefund = executing(
  { byId: statements.plainPaymentById, byReference: statements.plainPaymentByReference },
  writePlainly
)

/** Returns a UUIDv7. Ids that grow with time keep new index entries on few pages. */
export const uuidV7 = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
