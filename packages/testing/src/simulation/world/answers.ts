import { Cause, DateTime, Exit, Option, Predicate, Redacted, Result } from "effect"

/** Prepares a value for comparison. Drops undefined fields and causes, and reveals redacted values. */
const plain = (value: unknown): unknown => {
  if (Predicate.isBigInt(value)) return `${value}n`
  if (Redacted.isRedacted(value)) return plain(Redacted.value(value))
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return Option.isSome(value) ? { some: plain(value.value) } : "none"
  if (Result.isResult(value)) return Result.isSuccess(value) ? plain(value.success) : { failure: plain(value.failure) }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (value instanceof Map) return plain([...value.entries()])
  if (value instanceof Set) return plain([...value])
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  const entries = Object.entries(value).filter(([name, part]) => part !== undefined && name !== "cause")
  return Object.fromEntries(
    entries.map(([name, part]) => [name, listsInAnyOrder.has(name) ? inOrder(plain(part)) : plain(part)])
  )
}

/** Operations that lease due records. Records due at the same moment may come in any order. */
const inAnyOrder: ReadonlySet<string> = new Set([
  "DeliveryQueue.claim",
  "KycStore.claim",
  "HostRequestStore.claim",
  "PlatformFeed.claim"
])

/** Names of fields whose lists may be in any order, because their records may have equal times. */
const listsInAnyOrder: ReadonlySet<string> = new Set(["messages"])

const withoutOwn = (value: unknown): string => text(value).replaceAll(/delivery_\w+/gu, "")

const inOrder = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer.toSorted((one, other) => (withoutOwn(one) < withoutOwn(other) ? -1 : 1)) : answer

/** Operations whose results represent sets as lists. */
const ofSets: ReadonlySet<string> = new Set(["PersonStore.erasure"])

const setsInOrder = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return inOrder(answer.map(setsInOrder))
  if (!Predicate.isObject(answer)) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, part]) => [name, setsInOrder(part)]))
}

const ordered = (operation: string, answer: unknown): unknown => {
  if (ofSets.has(operation)) return setsInOrder(answer)
  return inAnyOrder.has(operation) ? inOrder(answer) : answer
}

const outcome = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isSuccess(exit)
    ? plain(exit.value)
    : { failure: exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? plain(reason.error) : reason._tag)) }

const text = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value))

const short = (value: unknown): string => {
  const whole = text(value)
  return whole.length > 400 ? `${whole.slice(0, 400)}…` : whole
}

/**
 * True for a string that each store generates itself: a cursor, an event's sequence or a delivery's id. `stands`
 * compares such strings.
 */
const isOwn = (name: string, text: string): boolean =>
  name === "nextCursor" || name === "sequence" || text.startsWith("delivery_")

/**
 * Returns the first difference between two values as a sentence, or `undefined` if they are equal. `stands` compares
 * each generated string with the other store's.
 */
const differenceOf = (
  path: string,
  here: unknown,
  there: unknown,
  stands: (here: string, there: string) => boolean
): string | undefined => {
  if (Predicate.isString(here) && Predicate.isString(there) && isOwn(path.slice(path.lastIndexOf(".") + 1), here)) {
    return stands(here, there) ? undefined : `${path} is ${here}, and beside it another's`
  }
  if (Predicate.isObjectOrArray(here) && Predicate.isObjectOrArray(there)) {
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
      const [one, other]: ReadonlyArray<unknown> = [Reflect.get(here, name), Reflect.get(there, name)]
      const found = differenceOf(`${path}.${name}`, one, other, stands)
      if (found !== undefined) return found
    }
    return undefined
  }
  return text(here) === text(there) ? undefined : `${path} is ${short(here)}, and beside it ${short(there)}`
}

/**
 * Returns the difference between two stores' results, or undefined if they are equal. Ignores causes of failures, and
 * the order of fields and of unordered lists. `stands` receives each pair of strings that the stores generate, and
 * returns true if the pair is consistent.
 */
export const difference = (
  operation: string,
  here: Exit.Exit<unknown, unknown>,
  there: Exit.Exit<unknown, unknown>,
  stands: (here: string, there: string) => boolean
): string | undefined => {
  if (Exit.isSuccess(here) !== Exit.isSuccess(there)) {
    return `${operation} returns ${answerText(here)}, and beside it ${answerText(there)}`
  }
  return differenceOf(operation, ordered(operation, outcome(here)), ordered(operation, outcome(there)), stands)
}

export const answerText = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit) ? short(outcome(exit)) : Cause.pretty(exit.cause).slice(0, 400)
