import { type Currency, fromCode } from "@surety/core/Currency"
import { fromNumber } from "@surety/core/Money"
import { defaultFourEyes, FourEyes } from "@surety/core/operator/approval/FourEyes"
import { SessionLimits } from "@surety/core/operator/session/OperatorSessions"
import { Duration, Layer, Result } from "effect"
import type { FourEyesOptions, SuretyOptions } from "../SuretyOptions.js"

/**
 * Converts an entry such as `["NGN", 10000]` to minor units. Undefined if the entry is not an amount in a known
 * currency. A threshold of zero applies to every amount.
 */
const thresholdOf = ([code, amount]: readonly [string, unknown]): readonly [Currency, bigint] | undefined => {
  const currency = fromCode(code)
  if (currency === undefined || typeof amount !== "number") return undefined
  if (amount === 0) return [currency, 0n]
  const money = fromNumber(amount, currency)
  return Result.isSuccess(money) ? [currency, money.success.minor] : undefined
}

/** Returns amounts by currency in minor units, or undefined if any is invalid. */
export const thresholdsOf = (given: object): ReadonlyMap<Currency, bigint> | undefined => {
  const read = Object.entries(given).map(thresholdOf)
  const known = read.flatMap((threshold) => (threshold === undefined ? [] : [threshold]))
  return known.length === read.length ? new Map(known) : undefined
}

const fourEyesOf = ({ adjustments, erasures, http, transfersFrom }: FourEyesOptions): FourEyes => ({
  transfersFrom: (transfersFrom && thresholdsOf(transfersFrom)) ?? defaultFourEyes.transfersFrom,
  adjustments: adjustments ?? defaultFourEyes.adjustments,
  erasures: erasures ?? defaultFourEyes.erasures,
  inHttp: http ?? defaultFourEyes.inHttp
})

export const consoleRules = ({ console: asked = "off" }: SuretyOptions): Layer.Layer<never> => {
  if (asked === "off") return Layer.empty
  const { fourEyes, idleMinutes = 30, lifetimeHours = 12 } = asked
  return Layer.merge(
    fourEyes === undefined ? Layer.empty : Layer.succeed(FourEyes, fourEyesOf(fourEyes)),
    Layer.succeed(SessionLimits, { idle: Duration.minutes(idleMinutes), absolute: Duration.hours(lifetimeHours) })
  )
}
