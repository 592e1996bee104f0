import { DateTime, Redacted, Result, Schema } from "effect"
import { isRecord, shapeOf } from "./shapeOf.js"

/**
 * A part of the host returned something outside its contract. The message holds types and field names, never a value.
 */
export class AnswerNotUnderstood extends Error {
  /** Appears in the host's log, which would otherwise show only `Error`. */
  override readonly name = "AnswerNotUnderstood"

  constructor(expected: string, answered: string) {
    super(`Expected ${expected}; got ${answered}.`)
  }
}

/** Builds the error from the shape of `answer`, never from its values. */
export const notUnderstood = (expected: string, answer: unknown): AnswerNotUnderstood =>
  new AnswerNotUnderstood(expected, shapeOf(answer))

/**
 * Replaces objects and arrays that are not plain data, are cyclic or exceed a limit. A schema of JSON values rejects
 * this symbol.
 */
const alien = Symbol("alien")

const deepest = 32

const isImmutable = (value: object): boolean => DateTime.isDateTime(value) || Redacted.isRedacted(value)

/** Maximum number of fields and items in a response. A value that occurs repeatedly counts each time. */
const mostParts = 10_000

/** Copies the response as plain data, reading each own field once. Drops inherited fields. */
const plainOf = (answer: unknown): unknown => {
  let parts = 0
  const plain = (value: unknown, above: ReadonlyArray<object>): unknown => {
    if (typeof value !== "object" || value === null || isImmutable(value)) return value
    if (above.includes(value) || above.length >= deepest || parts > mostParts) return alien
    const within = [...above, value]
    if (Array.isArray(value)) {
      parts += value.length
      return parts > mostParts ? alien : value.map((item) => plain(item, within))
    }
    if (!isRecord(value)) return alien
    const fields = Object.entries(value)
    parts += fields.length
    return parts > mostParts ? alien : Object.fromEntries(fields.map(([name, field]) => [name, plain(field, within)]))
  }
  return plain(answer, [])
}

/** Decodes the response of a host's part, or returns an error that describes the response without its values. */
export type ReadAnswer<A> = (answer: unknown) => Result.Result<A, AnswerNotUnderstood>

/**
 * Builds a decoder that accepts only responses that match `schema`. `expected` describes such a response. An additional
 * field is an error unless `otherFields` is `ignore`, because a response such as `{ credited: true, error: "frozen" }`
 * is ambiguous. The decoder never throws, even if reading a field does.
 *
 * @example
 * const readSignedIn = reading(Schema.Boolean, "true or false")
 */
export const reading = <A>(
  schema: Schema.ConstraintDecoder<A>,
  expected: string,
  otherFields: "error" | "ignore" = "error"
): ReadAnswer<A> => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: otherFields })
  return (answer) => {
    const decoded = Result.try(() => decode(plainOf(answer)))
    return Result.isSuccess(decoded) && Result.isSuccess(decoded.success)
      ? Result.succeed(decoded.success.success)
      : Result.fail(notUnderstood(expected, answer))
  }
}

/**
 * Checks the response of a call that must return nothing. Any value but `undefined` means that the call may have
 * failed.
 */
export const readNothing: ReadAnswer<void> = (answer) =>
  answer === undefined ? Result.succeed(undefined) : Result.fail(notUnderstood("undefined once it is done", answer))
