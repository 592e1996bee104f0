import type { HostError, LogLine, Surety, SuretyOptions } from "@surety/embed"
import { assert } from "vitest"
import { makeSurety } from "../Shop.js"
import type { Misbehaviour } from "./misbehaviours.js"

/** A Surety instance with a misbehaving host part, its log, and the failures passed to `onError`. */
export interface Misbehaving {
  readonly surety: Surety
  readonly lines: Array<LogLine>
  readonly errors: Array<HostError>
}

/** Strips a function of its types, to imitate a host's untyped code. */
// biome-ignore lint/suspicious/noExplicitAny: stands for unchecked JavaScript
export const untyped = (act: (...args: any) => unknown): any => act

export const misbehaving = async (options: Partial<SuretyOptions>): Promise<Misbehaving> => {
  const lines: Array<LogLine> = []
  const errors: Array<HostError> = []
  const surety = await makeSurety({
    publicUrl: "https://pay.shop.example",
    logger: (line) => lines.push(line),
    onError: (error) => errors.push(error),
    ...options
  })
  return { surety, lines, errors }
}

/**
 * Asserts that `onError` received exactly `count` failures of the operation. Asserts that the log has as many errors of
 * the part, each with its cause, and contains none of `secrets`.
 */
export const assertTold = (
  { errors, lines }: Misbehaving,
  { operation, part }: Pick<HostError, "part" | "operation">,
  count: number,
  secrets: ReadonlyArray<string>
) => {
  const told = errors.filter((error) => error.part === part && error.operation === operation)
  assert.strictEqual(told.length, count, "told to onError")
  const logged = lines.filter(({ fields, level }) => level === "error" && fields.part === part)
  assert.strictEqual(logged.length, count, "logged")
  for (const { cause } of logged) assert.match(cause ?? "", /^\w*Error: .+|^AnswerNotUnderstood: .+/s)
  const text = JSON.stringify(lines)
  for (const secret of secrets) assert.notInclude(text, secret)
}

/** Results are keyed by the misbehaviour's name, so that a failed assertion shows which misbehaviour caused it. */
export const outcomes = async <A>(
  all: ReadonlyArray<Misbehaviour>,
  of: (misbehaviour: Misbehaviour, index: number) => Promise<A>
): Promise<Record<string, A>> =>
  Object.fromEntries(await Promise.all(all.map(async (one, index) => [one.name, await of(one, index)] as const)))

/** Builds the expected result of `outcomes`, with the same outcome for every misbehaviour. */
export const each = <A>(all: ReadonlyArray<Misbehaviour>, outcome: A): Record<string, A> =>
  Object.fromEntries(all.map(({ name }) => [name, outcome]))
