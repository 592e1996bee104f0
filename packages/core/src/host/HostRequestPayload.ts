import { Effect, Number as Num, Option, Predicate, Result, Schema } from "effect"
import { type TextFault, uncleanTexts } from "../input/Text.js"
import { StoreCorrupt, StoreError } from "../StoreError.js"
import { type HostRequestPayload, hostRequestText } from "./HostRequest.js"

/** Maximum size of a payload in bytes, in PostgreSQL's JSON format. The table `surety.requests` has the same limit. */
export const largestPayload = 65_536

/** Maximum nesting depth of a payload. */
export const deepestPayload = 32

const isRecord = (value: unknown): value is HostRequestPayload => Predicate.isObject(value) && !Array.isArray(value)

const encoder = new TextEncoder()

/**
 * Returns an upper bound on a number's size in bytes. PostgreSQL writes a number with an exponent out in full, so the
 * exponent counts as digits.
 */
const numberBytes = (value: number): number => {
  const text = String(value)
  const [, exponent] = text.split("e")
  return exponent === undefined ? text.length : text.length + Math.abs(Number(exponent))
}

const childrenOf = (value: unknown): ReadonlyArray<unknown> =>
  Predicate.isObjectKeyword(value) ? Object.values(value) : []

/** Iterates level by level, so that deep nesting cannot overflow the stack. */
const isWithinDepth = (value: unknown, depth: number): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let left = depth; left > 0 && level.length > 0; left -= 1) level = level.flatMap(childrenOf)
  return !level.some(Predicate.isObjectKeyword)
}

/** Returns an upper bound on a JSON value's size in PostgreSQL, which writes a space after each comma and colon. */
const bytesOf = (value: unknown): number => {
  if (typeof value === "number") return numberBytes(value)
  if (!Predicate.isObjectKeyword(value)) return encoder.encode(JSON.stringify(value)).length
  const parts = Array.isArray(value)
    ? value.map((item) => bytesOf(item) + 2)
    : Object.entries(value).map(([key, item]) => bytesOf(key) + bytesOf(item) + 4)
  return Math.max(2, Num.sumAll(parts))
}

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const jsonOf = (given: unknown): Option.Option<string> =>
  isRecord(given)
    ? Option.filter(Result.getSuccess(Result.try(() => hostRequestText(given))), Predicate.isString)
    : Option.none()

const isOmitted = (value: unknown): boolean => value === undefined || ["function", "symbol"].includes(typeof value)

/**
 * Returns the name of the first field that JSON would omit, such as one that is `undefined`. A refund without its
 * `amountMinor` would be one of the whole payment.
 */
const omittedField = (given: unknown): string | undefined => {
  let omitted: string | undefined
  // Throws for a value without JSON, which `jsonOf` reports.
  Result.try(() =>
    JSON.stringify(given, (name, value: unknown) => {
      if (isOmitted(value)) omitted ??= name
      return typeof value === "bigint" ? 0 : value
    })
  )
  return omitted
}

/**
 * Converts a payload to its queued form: plain JSON, with bigints as decimal strings. `None` if it is not an object, has
 * no JSON form, or has a field that JSON would omit.
 */
export const plainPayload = (given: unknown): Option.Option<unknown> =>
  omittedField(given) === undefined ? Option.flatMap(jsonOf(given), readJson) : Option.none()

const tooLong: TextFault = { code: "too_long", detail: `Expected at most ${largestPayload} bytes of JSON.` }

/** Returns why a payload cannot be queued, or undefined if it can. */
export const payloadFault = (payload: unknown): TextFault | undefined => {
  const json = jsonOf(payload)
  const omitted = omittedField(payload)
  if (omitted !== undefined && Option.isSome(json)) {
    return { code: "wrong_type", detail: `${omitted} is undefined: give a value, or leave the field out.` }
  }
  if (Option.exists(json, (text) => text.length > largestPayload)) return tooLong
  const plain = Option.flatMap(json, readJson)
  if (Option.isNone(plain) || !isRecord(plain.value)) {
    return { code: "wrong_type", detail: "Expected an object that can be written as JSON." }
  }
  if (!isWithinDepth(plain.value, deepestPayload)) {
    return { code: "wrong_type", detail: `Expected an object nested at most ${deepestPayload} levels deep.` }
  }
  const [unclean] = uncleanTexts(plain.value)
  if (unclean !== undefined) return { code: unclean.code, detail: unclean.detail }
  return bytesOf(plain.value) > largestPayload ? tooLong : undefined
}

/**
 * Fails with a `StoreError` whose reason is `StoreCorrupt` if the payload cannot be queued. For implementations of
 * `enqueue`.
 */
export const requirePayload = (payload: unknown): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    const fault = payloadFault(payload)
    if (fault === undefined) return Effect.void
    const reason = new StoreCorrupt({ cause: new Error(fault.detail) })
    return Effect.fail(new StoreError({ operation: "HostRequestStore.enqueue", reason }))
  })
