import { Redacted, Result, Schema } from "effect"
import { isRecord, shapeOf } from "./shapeOf.js"

/** A host's part answered something that its contract does not name. Holds kinds and field names, never a value. */
export class AnswerNotUnderstood extends Error {
  /** The host reads it in its log, so it is short. */
  override readonly name = "AnswerNotUnderstood"

  constructor(expected: string, answered: string) {
    super(`Expected ${expected}; got ${answered}.`)
  }
}

/** The error for an answer that does not have the form that `expected` describes. */
export const notUnderstood = (expected: string, answer: unknown): AnswerNotUnderstood =>
  new AnswerNotUnderstood(expected, shapeOf(answer))

/** Stands for what no answer holds, so no schema accepts it. */
const alien = Symbol("alien")

const deepest = 32

/**
 * The answer as plain data: own fields only, each read once. A getter that changes its mind, or a field inherited from a
 * prototype, decides nothing.
 */
const plain = (value: unknown, above: ReadonlyArray<object>): unknown => {
  if (typeof value !== "object" || value === null || Redacted.isRedacted(value)) return value
  if (above.includes(value) || above.length >= deepest) return alien
  const within = [...above, value]
  if (Array.isArray(value)) return value.map((item) => plain(item, within))
  if (!isRecord(value)) return alien
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field, within)]))
}

/** Reads an answer of a host's part, or says what came instead. Total. */
export type ReadAnswer<A> = (answer: unknown) => Result.Result<A, AnswerNotUnderstood>

/**
 * Reads answers of exactly the schema's form. `expected` says in words what the form is. Another field makes an answer
 * another one, unless `otherFields` are ignored: `{ credited: true, error: "frozen" }` says nothing for certain.
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
    const decoded = Result.try(() => decode(plain(answer, [])))
    return Result.isSuccess(decoded) && Result.isSuccess(decoded.success)
      ? Result.succeed(decoded.success.success)
      : Result.fail(notUnderstood(expected, answer))
  }
}

/** Reads the answer of a part that has nothing to say: `undefined`, or it has not done what it was asked. */
export const readNothing: ReadAnswer<void> = (answer) =>
  answer === undefined ? Result.succeed(undefined) : Result.fail(notUnderstood("undefined once it is done", answer))
