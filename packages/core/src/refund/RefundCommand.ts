import { Result } from "effect"
import type * as Currency from "../Currency.js"
import type { PaymentId } from "../Ids.js"
import type { InputFault } from "../input/InputFault.js"
import { amountNotPositive, amountTooLarge, type MoneyFault, readAmount, readCurrency } from "../input/MoneyInput.js"
import * as Money from "../Money.js"
import type { RefundItem } from "./Refund.js"

/** A refund request with valid shape and lengths. An amount is a number in major units, or a bigint in minor units. */
export interface RefundInput {
  readonly transactionId?: PaymentId
  readonly reference?: string
  readonly amount?: number | bigint | undefined
  readonly currency?: string
  readonly reason?: string
  readonly merchantReference?: string
  readonly items?:
    | ReadonlyArray<{
        readonly amount: number | bigint
        readonly currency?: string
        readonly reason?: string
      }>
    | undefined
}

/** A validated request with a payment identifier and exact amounts. Its items, if any, add up to its amount. */
export interface RefundCommand {
  readonly paymentId: PaymentId | undefined
  readonly reference: string | undefined
  readonly currency: Currency.Currency
  /** In minor units. If undefined, the payment's full amount. */
  readonly amountMinor: bigint | undefined
  readonly reason: string | undefined
  readonly merchantReference: string | undefined
  readonly items: ReadonlyArray<RefundItem> | undefined
}

/** A fault reported by `parseRefund`. */
export type RefundRequestFault =
  | MoneyFault
  | InputFault<"payment_identifier_required" | "currency_mismatch" | "items_amount_mismatch">

type Path = RefundRequestFault["path"]

const sumFault = (
  sum: bigint,
  amount: bigint | undefined,
  currency: Currency.Currency
): RefundRequestFault | undefined => {
  if (sum > Money.maxMinor) return amountTooLarge(currency, ["items"])
  if (amount === undefined || sum === amount) return undefined
  return {
    path: ["items"],
    code: "items_amount_mismatch",
    detail:
      `The items add up to ${Money.format({ currency, minor: sum })} ${currency}, ` +
      `the amount is ${Money.format({ currency, minor: amount })} ${currency}.`
  }
}

/**
 * Parses a request, or returns its faults. The items' total is checked only if there are no other faults. Pure, and
 * independent of the payment.
 *
 * The currency defaults to NGN, for the refund and for each item. The amount defaults to the items' total. If both an
 * amount and items are sent, the total must equal the amount (contract 10).
 */
export const parseRefund = (request: RefundInput): Result.Result<RefundCommand, ReadonlyArray<RefundRequestFault>> => {
  const faults: Array<RefundRequestFault> = []

  const noted = <A>(read: Result.Result<A, RefundRequestFault>): A | undefined => {
    if (Result.isSuccess(read)) return read.success
    faults.push(read.failure)
    return undefined
  }
  const amountOf = (
    amount: number | bigint,
    currency: Currency.Currency | undefined,
    path: Path
  ): bigint | undefined => {
    if (currency !== undefined) return noted(readAmount(amount, currency, path))
    // Even if the currency is unknown, the amount must be positive.
    if (!(amount > 0)) faults.push(amountNotPositive(path))
    return undefined
  }
  const readItem = (
    item: NonNullable<RefundInput["items"]>[number],
    index: number,
    currency: Currency.Currency | undefined
  ): RefundItem | undefined => {
    const itemCurrency = noted(readCurrency(item.currency, ["items", index, "currency"]))
    if (currency !== undefined && itemCurrency !== undefined && itemCurrency !== currency) {
      faults.push({
        path: ["items", index, "currency"],
        code: "currency_mismatch",
        detail: `An item's currency must be the refund's, ${currency}. A missing currency means NGN.`
      })
    }
    const amountMinor = amountOf(item.amount, currency, ["items", index, "amount"])
    if (amountMinor === undefined) return undefined
    return item.reason === undefined ? { amountMinor } : { amountMinor, reason: item.reason }
  }

  if (request.transactionId === undefined && request.reference === undefined) {
    faults.push({
      path: ["transactionId"],
      code: "payment_identifier_required",
      detail: "Send the id or the reference of the payment to refund."
    })
  }
  const currency = noted(readCurrency(request.currency, ["currency"]))
  const amount = request.amount === undefined ? undefined : amountOf(request.amount, currency, ["amount"])
  const items = request.items?.flatMap((item, index) => readItem(item, index, currency) ?? [])
  const sum = items?.reduce((total, { amountMinor }) => total + amountMinor, 0n)
  if (currency === undefined || faults.length > 0) return Result.fail(faults)
  const fault = sum === undefined ? undefined : sumFault(sum, amount, currency)
  if (fault !== undefined) return Result.fail([fault])
  return Result.succeed({
    paymentId: request.transactionId,
    reference: request.reference,
    currency,
    amountMinor: amount ?? sum,
    reason: request.reason,
    merchantReference: request.merchantReference,
    items
  })
}

/** Serialises the command for its fingerprint. Equal commands give equal strings. */
export const canonicalRefund = (command: RefundCommand): string =>
  JSON.stringify([
    "refunds.create",
    command.paymentId ?? null,
    command.reference ?? null,
    command.currency,
    command.amountMinor?.toString() ?? null,
    command.reason ?? null,
    command.merchantReference ?? null,
    command.items?.map(({ amountMinor, reason }) => [amountMinor.toString(), reason ?? null]) ?? null
  ])
