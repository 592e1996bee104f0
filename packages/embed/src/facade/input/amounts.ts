import { Amount, readMoney } from "@surety/core/input/MoneyInput"
import type { Money } from "@surety/core/Money"
import { Result, Schema } from "effect"
import { type InvalidInput, invalidInput } from "../../Outcome.js"

/** An amount of money from a host: `amount` in major units, or `amountMinor` in minor units (kobo for NGN). */
export const amountFields = {
  amount: Schema.optionalKey(Amount),
  amountMinor: Schema.optionalKey(Schema.BigInt)
}

export interface GivenAmount {
  readonly amount?: number | undefined
  readonly amountMinor?: bigint | undefined
}

type Path = ReadonlyArray<string | number>

/**
 * Returns the given amount, if any. Rejects an input with both fields, even if they are equal, because one would be
 * ignored.
 */
export const readOptionalAmount = (
  { amount, amountMinor }: GivenAmount,
  path: Path = []
): Result.Result<number | bigint | undefined, InvalidInput> =>
  amount !== undefined && amountMinor !== undefined
    ? Result.fail(
        invalidInput([
          { path: [...path, "amountMinor"], code: "amount_twice", detail: "Give amount or amountMinor, not both." }
        ])
      )
    : Result.succeed(amountMinor ?? amount)

/** Like `readOptionalAmount`, but also rejects an input without an amount. */
export const readGivenAmount = (given: GivenAmount, path: Path = []): Result.Result<number | bigint, InvalidInput> =>
  Result.flatMap(readOptionalAmount(given, path), (amount) =>
    amount === undefined
      ? Result.fail(
          invalidInput([{ path: [...path, "amount"], code: "required", detail: "Give amount or amountMinor." }])
        )
      : Result.succeed(amount)
  )

/** Returns the given amount as money, in the default currency if `currency` is omitted. */
export const readMoneyOf = ({
  currency,
  ...given
}: GivenAmount & { readonly currency?: string }): Result.Result<Money, InvalidInput> =>
  Result.flatMap(readGivenAmount(given), (amount) =>
    Result.mapError(readMoney(currency === undefined ? { amount } : { amount, currency }), (fault) =>
      invalidInput([fault])
    )
  )
