import { Duration, Result } from "effect"

/** What a setting that is wrong is told as. */
export interface SettingFault {
  readonly name: string
  readonly detail: string
}

/** One environment variable: its name, what it means, what it is when unset. */
export interface Setting<A> {
  readonly name: string
  readonly meaning: string
  /** As it is shown to people. */
  readonly defaultText: string
  /** Reads the value as set. An unset or empty variable does not come here. */
  readonly read: (text: string) => Result.Result<A, string>
}

export const oneOf =
  <const A extends string>(...choices: ReadonlyArray<A>) =>
  (text: string): Result.Result<A, string> => {
    const choice = choices.find((candidate) => candidate === text)
    return choice === undefined
      ? Result.fail(`is "${text}"; it must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`)
      : Result.succeed(choice)
  }

/** An absolute http or https url. Credentials are refused: it is shown, logged or sent to others. */
export const httpUrl = (text: string): Result.Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    return Result.fail("is not an absolute http or https url")
  }
  return url.username === "" && url.password === ""
    ? Result.succeed(text)
    : Result.fail("must not have a user name or password in it")
}

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): Result.Result<number, string> => {
    const number = Number(text)
    return /^\d+$/.test(text) && number >= least && number <= most
      ? Result.succeed(number)
      : Result.fail(`is "${text}"; it must be a whole number from ${least} to ${most}`)
  }

const unitMillis = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const isUnit = (text: string | undefined): text is keyof typeof unitMillis => text !== undefined && text in unitMillis

/** A stretch of time, such as `90 s`, `30 m`, `24 h` or `7 d`; `0` needs no unit. */
export const duration =
  (most: Duration.Duration) =>
  (text: string): Result.Result<Duration.Duration, string> => {
    const [, digits = "", unit = digits === "0" ? "s" : undefined] = /^(\d{1,9}) ?([smhd])?$/.exec(text) ?? []
    const value = isUnit(unit) ? Duration.millis(Number(digits) * unitMillis[unit]) : undefined
    return value !== undefined && Duration.isLessThanOrEqualTo(value, most)
      ? Result.succeed(value)
      : Result.fail(`is "${text}"; it must look like 90 s, 30 m, 24 h or 7 d, and be at most ${Duration.format(most)}`)
  }

/** The set value understood, the default when unset, and a fault beside it when it cannot be understood. */
export const readFrom = <A, B>(
  environment: Readonly<Record<string, string | undefined>>,
  setting: Setting<A>,
  otherwise: B,
  faults: Array<SettingFault>
): A | B => {
  const text = environment[setting.name]?.trim()
  if (text === undefined || text === "") return otherwise
  const value = setting.read(text)
  if (Result.isSuccess(value)) return value.success
  faults.push({ name: setting.name, detail: value.failure })
  return otherwise
}
