import { Duration, Result, Struct } from "effect"

/** A setting that is invalid, missing or probably misspelt. `detail` continues a sentence that begins with `name`. */
export interface SettingFault {
  readonly name: string
  readonly detail: string
}

type Read<A> = (text: string) => Result.Result<A, string>

/** Reads another setting's value, for a default that depends on it. */
export type Get = <A>(other: Setting<A>) => A

/** A setting, read from one environment variable. */
export interface Setting<out A> {
  readonly name: string
  readonly meaning: string
  /** Text for `--help`: the default, or else the effect of leaving the variable unset. */
  readonly defaultText: string
  readonly read: Read<A>
  /** Value used if the variable is unset, empty or faulty. */
  readonly unset: (get: Get) => A
  /** The default as one would write it in the variable. Undefined without one. */
  readonly written: (get: Get) => string | undefined
  /** Describes a valid text that contains secrets, without them. Undefined if the whole text may be shown. */
  readonly summary: ((text: string) => string) | undefined
}

interface Described<A> {
  readonly meaning: string
  readonly read: Read<A>
  /** Describes a value that contains secrets, without them, for operators. */
  readonly summary?: (value: A) => string
}

/** A default, as text or as a number. Its text is parsed like the variable's. */
type Written = string | number

type Defaulted<A> = Described<A> &
  (
    | { readonly default: Written; readonly defaultText?: string }
    | { readonly default: (get: Get) => Written; readonly defaultText: string }
  )

/**
 * Defines a setting: the variable's name, its meaning, its parser and its default. Without a default, the value is
 * `undefined` if the variable is unset, and `unset` describes what happens then.
 *
 * @example
 * const port = setting("PORT", { meaning: "the port to listen on", default: 3000, read: wholeNumber(0, 65_535) })
 */
export function setting<A>(name: string, described: Defaulted<A>): Setting<A>
export function setting<A>(name: string, described: Described<A> & { readonly unset: string }): Setting<A | undefined>
export function setting<A>(
  name: string,
  described: Defaulted<A> | (Described<A> & { readonly unset: string })
): Setting<A | undefined> {
  const { meaning, read, summary: summaryOf } = described
  const summary =
    summaryOf === undefined ? undefined : (text: string): string => summaryOf(Result.getOrThrow(read(text)))
  const common = { name, meaning, read, summary }
  if ("unset" in described) {
    return { ...common, defaultText: described.unset, unset: () => undefined, written: () => undefined }
  }
  const { default: written } = described
  const { defaultText = written === "" ? "empty" : String(written) } = described
  const textOf = (get: Get): string => String(typeof written === "function" ? written(get) : written)
  return { ...common, defaultText, unset: (get) => Result.getOrThrow(read(textOf(get))), written: textOf }
}

export type Values<Table> = { readonly [Key in keyof Table]: Table[Key] extends Setting<infer A> ? A : never }

interface ToValue extends Struct.Lambda {
  <A>(setting: Setting<A>): A
  readonly "~lambda.out": this["~lambda.in"] extends Setting<infer A> ? A : never
}

/**
 * Reads every setting of a table. A faulty setting gets its `unset` value, so that one pass finds all faults. `texts` has
 * each setting's text by its name: the variable's, or else the default's. It contains secrets.
 */
export const readTable = <Table extends Readonly<Record<string, Setting<unknown>>>>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>
) => {
  const faults = new Map<string, string>()
  const texts = new Map<string, string | undefined>()
  const get: Get = (setting) => {
    const text = environment[setting.name]?.trim()
    if (text === undefined || text === "") {
      texts.set(setting.name, setting.written(get))
      return setting.unset(get)
    }
    texts.set(setting.name, text)
    const value = setting.read(text)
    if (Result.isSuccess(value)) return value.success
    faults.set(setting.name, value.failure)
    return setting.unset(get)
  }
  const values = Struct.map(table, Struct.lambda<ToValue>(get))
  return { values, texts, faults: [...faults].map(([name, detail]): SettingFault => ({ name, detail })) }
}

export const oneOfValues =
  <const A extends string>(...choices: ReadonlyArray<A>) =>
  (text: string): Result.Result<A, string> => {
    const choice = choices.find((candidate) => candidate === text)
    return choice === undefined
      ? Result.fail(`is "${text}"; it must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`)
      : Result.succeed(choice)
  }

export const onOrOff: Read<boolean> = (text) => Result.map(oneOfValues("on", "off")(text), (choice) => choice === "on")

/** Parses an absolute http or https url. Rejects credentials, since the url may be shown, logged or sent to others. */
export const httpUrl = (text: string): Result.Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    return Result.fail("is not an absolute http or https url")
  }
  return url.username === "" && url.password === ""
    ? Result.succeed(text)
    : Result.fail("must not contain a user name or password")
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

/** Parses a duration of at most `most`, such as `90 s`, `30 m`, `24 h` or `7 d`. `0` needs no unit. */
export const duration =
  (most: Duration.Duration) =>
  (text: string): Result.Result<Duration.Duration, string> => {
    const [, digits = "", unit = digits === "0" ? "s" : undefined] = /^(\d{1,9}) ?([smhd])?$/.exec(text) ?? []
    const value = isUnit(unit) ? Duration.millis(Number(digits) * unitMillis[unit]) : undefined
    return value !== undefined && Duration.isLessThanOrEqualTo(value, most)
      ? Result.succeed(value)
      : Result.fail(`is "${text}"; it must look like 90 s, 30 m, 24 h or 7 d, and be at most ${Duration.format(most)}`)
  }
