import { Result } from "effect"
import * as Currency from "../Currency.js"
import type { PaymentId } from "../Ids.js"
import * as Money from "../Money.js"
import type { RefundItem } from "./Refund.js"

/** A request as sent: amounts are JSON numbers in major units. The shape and the lengths are checked already. */
export interface RefundRequest {
  readonly transactionId?: PaymentId
  readonly reference?: string
  readonly amount?: number
  readonly currency?: string
  readonly reason?: string
  readonly merchantReference?: string
  readonly items?: ReadonlyArray<{
    readonly amount: number
    readonly currency?: string
    readonly reason?: string
  }>
}

/** What the merchant asks for, understood: at least one identifier, exact money, items that add up. */
export interface RefundCommand {
  readonly paymentId: PaymentId | undefined
  readonly reference: string | undefined
  readonly currency: Currency.Currency
  /** Absent: the payment's original amount. */
  readonly amountMinor: bigint | undefined
  readonly reason: string | undefined
  readonly merchantReference: string | undefined
  readonly items: ReadonlyArray<RefundItem> | undefined
}

/** One thing wrong with a request, and where. */
export interface RefundRequestFault {
  readonly path: ReadonlyArray<string | number>
  readonly code:
    | "payment_identifier_required"
    | "amount_not_positive"
    | "amount_too_large"
    | "amount_precision"
    | "currency_unknown"
    | "currency_mismatch"
    | "items_amount_mismatch"
  readonly detail: string
}

type Path = RefundRequestFault["path"]

const notPositive = (path: Path): RefundRequestFault => ({
  path,
  code: "amount_not_positive",
  detail: "The amount must be greater than 0."
})

const amountFault = (fault: Money.AmountFault, currency: Currency.Currency, path: Path): RefundRequestFault => {
  switch (fault) {
    case "not_positive":
      return notPositive(path)
    case "too_large":
      return {
        path,
        code: "amount_too_large",
        detail: `The largest amount is ${Money.format({ currency, minor: Money.maxMinor })} ${currency}.`
      }
    case "too_precise":
      return {
        path,
        code: "amount_precision",
        detail: `${currency} amounts have at most ${Currency.decimals(currency)} decimals.`
      }
  }
}

/** What is wrong with the sum of the items; `undefined` when it is the amount, or when there is no amount to equal. */
const sumFault = (
  sum: bigint,
  amount: bigint | undefined,
  currency: Currency.Currency
): RefundRequestFault | undefined => {
  if (sum > Money.maxMinor) return amountFault("too_large", currency, ["items"])
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
 * Understands a request, or lists every fault in it (at least one). Pure; knows nothing of the payment.
 *
 * A missing currency means NGN, also in items. Items alone: their sum is the amount; with an amount the sum must equal
 * it (contract 10).
 */
export const parse = (request: RefundRequest): Result.Result<RefundCommand, ReadonlyArray<RefundRequestFault>> => {
  const faults: Array<RefundRequestFault> = []

  const readCurrency = (code: string | undefined, path: Path): Currency.Currency | undefined => {
    const currency = code === undefined ? Currency.NGN : Currency.fromCode(code)
    if (currency === undefined) {
      faults.push({ path, code: "currency_unknown", detail: "Expected a currency code of ISO 4217, such as NGN." })
    }
    return currency
  }
  const readAmount = (amount: number, currency: Currency.Currency | undefined, path: Path): bigint | undefined => {
    if (currency === undefined) {
      // Of an unknown currency's amounts it can still be said that they must be positive.
      if (!(amount > 0)) faults.push(notPositive(path))
      return undefined
    }
    const money = Money.fromNumber(amount, currency)
    if (Result.isSuccess(money)) return money.success.minor
    faults.push(amountFault(money.failure, currency, path))
    return undefined
  }
  const readItem = (
    item: NonNullable<RefundRequest["items"]>[number],
    index: number,
    currency: Currency.Currency | undefined
  ): RefundItem | undefined => {
    const itemCurrency = readCurrency(item.currency, ["items", index, "currency"])
    if (currency !== undefined && itemCurrency !== undefined && itemCurrency !== currency) {
      faults.push({
        path: ["items", index, "currency"],
        code: "currency_mismatch",
        detail: `An item's currency must be the refund's, ${currency}. A missing currency means NGN.`
      })
    }
    const amountMinor = readAmount(item.amount, currency, ["items", index, "amount"])
    if (amountMinor === undefined) return undefined
    return item.reason === undefined ? { amountMinor } : { amountMinor, reason: item.reason }
  }

  if (request.transactionId === undefined && request.reference === undefined) {
    faults.push({
      path: ["transactionId"],
      code: "payment_identifier_required",
      detail: "Send transaction_id or reference: which payment to refund."
    })
  }
  const currency = readCurrency(request.currency, ["currency"])
  const amount = request.amount === undefined ? undefined : readAmount(request.amount, currency, ["amount"])
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

/** The command as one text, equal for requests that ask for the same: what the fingerprint is taken of. */
export const canonicalText = (command: RefundCommand): string =>
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
