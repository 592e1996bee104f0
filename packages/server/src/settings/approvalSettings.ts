import { type Currency, fromCode } from "@surety/core/Currency"
import { fromNumber } from "@surety/core/Money"
import { Duration, Result } from "effect"
import { duration, onOrOff, setting } from "./Setting.js"

/**
 * Parses a threshold such as `NGN:10000.00` into a currency and an amount in minor units. A transfer of that amount or
 * more needs a second operator. Undefined if the currency or amount is invalid.
 */
const readThreshold = (text: string): readonly [Currency, bigint] | undefined => {
  const [, code = "", amount = ""] = /^([A-Za-z]{3}):(\d{1,15}(?:\.\d{1,4})?)$/.exec(text) ?? []
  const currency = fromCode(code)
  if (currency === undefined) return undefined
  if (Number(amount) === 0) return [currency, 0n]
  const money = fromNumber(Number(amount), currency)
  return Result.isSuccess(money) ? [currency, money.success.minor] : undefined
}

const readThresholds = (text: string): Result.Result<ReadonlyMap<Currency, bigint>, string> => {
  const parts = text.split(",").map((part) => readThreshold(part.trim()))
  const thresholds = new Map(parts.flatMap((part) => (part === undefined ? [] : [part])))
  if (parts.includes(undefined)) return Result.fail(`is "${text}"; it must look like NGN:10000, USD:50.00`)
  return thresholds.size === parts.length ? Result.succeed(thresholds) : Result.fail("names a currency twice")
}

/** Maximum for each of the two time limits of an operator's console session. */
const longestSession = Duration.days(7)

const sessionTime = (text: string): Result.Result<Duration.Duration, string> =>
  Result.flatMap(duration(longestSession)(text), (time) =>
    Duration.toMillis(time) === 0 ? Result.fail("must be longer than 0") : Result.succeed(time)
  )

/** Settings for changes that need a second operator, and for the time limits of operators' console sessions. */
export const approvalSettings = {
  fourEyesFrom: setting("FOUR_EYES_FROM", {
    meaning:
      "the amounts from which a transfer needs a second operator, a comma-separated list of currency:amount; any amount in an " +
      "unlisted currency needs one",
    default: "NGN:10000",
    read: readThresholds
  }),
  fourEyesAdjustments: setting("FOUR_EYES_ADJUSTMENTS", {
    meaning: "whether every adjustment needs a second operator: on or off",
    default: "on",
    read: onOrOff
  }),
  fourEyesErasures: setting("FOUR_EYES_ERASURES", {
    meaning: "whether every erasure of a person needs a second operator: on or off",
    default: "on",
    read: onOrOff
  }),
  fourEyesHttp: setting("FOUR_EYES_HTTP", {
    meaning:
      "whether the HTTP interface refuses changes that need a second operator: on or off; the console always requires one",
    default: "off",
    read: onOrOff
  }),
  consoleSessionIdle: setting("CONSOLE_SESSION_IDLE", {
    meaning: "how long an operator may be idle before being signed out of the console",
    default: "30 m",
    read: sessionTime
  }),
  consoleSessionLifetime: setting("CONSOLE_SESSION_LIFETIME", {
    meaning: "the maximum time that an operator stays signed in to the console",
    default: "12 h",
    read: sessionTime
  })
}
