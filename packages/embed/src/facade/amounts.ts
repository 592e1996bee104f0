import { Amount } from "@surety/core/input/MoneyInput"
import { Result, Schema } from "effect"
import { type InvalidInput, invalidInput } from "../Outcome.js"

/** An amount of money as a host has it: `amount` in major units, or `amountMinor` in minor units (kobo for NGN). */
export const amountFields = {
  amount: Schema.optionalKey(Amount),
  amountMinor: Schema.optionalKey(Schema.BigInt)
}

export interface GivenAmount {
  readonly amount?: number | undefined
  readonly amountMinor?: bigint | undefined
}

type Path = ReadonlyArray<string | number>

/** The one that was given, if any. Both at once are a fault, even if they are equal: one would be ignored. */
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

/** The one that was given. */
export const readGivenAmount = (given: GivenAmount, path: Path = []): Result.Result<number | bigint, InvalidInput> =>
  Result.flatMap(readOptionalAmount(given, path), (amount) =>
    amount === undefined
      ? Result.fail(
          invalidInput([{ path: [...path, "amount"], code: "required", detail: "Give amount or amountMinor." }])
        )
      : Result.succeed(amount)
  )
