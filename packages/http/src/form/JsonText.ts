import { Result } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"
import { type Problem, problem } from "../problem/Problem.js"
import { BoundedBody } from "./BoundedBody.js"
import { JsonReader } from "./JsonReader.js"
import { anyFields, type FieldNames } from "./Surplus.js"

export { maxDepth, maxParts } from "./JsonScan.js"

/** A JSON value, and the faults in its names, strings and numbers that no schema can find. */
export interface JsonDocument {
  readonly value: unknown
  readonly faults: ReadonlyArray<Fault>
}

/**
 * Parses JSON strictly (RFC 8259) and rejects duplicate keys. Strings and keys with NUL or lone surrogates, and numbers
 * with more digits than a double holds, are faults. With `unquoted`, faults do not quote numbers, which may be personal
 * data. Except where `fields` is open, unknown fields are null, and surplus fields and list items are omitted.
 */
export const parseJson = (
  { bytes }: BoundedBody,
  numbers: "quoted" | "unquoted" = "quoted",
  fields: FieldNames = anyFields
): Result.Result<JsonDocument, Problem> => {
  const reader = new JsonReader(bytes, fields)
  const parsed = Result.try(() => reader.read())
  if (Result.isFailure(parsed)) return Result.fail(problem("invalid_json"))
  if (reader.hasFieldTwice) {
    return Result.fail(problem("invalid_json", { detail: "An object in the body has the same field twice." }))
  }
  const inexact = reader.inexact.map((token, index) => {
    const which = numbers === "quoted" ? token.slice(0, 64) : "A number"
    return inBody(
      reader.inexactPaths[index] ?? [],
      "amount_precision",
      `${which} has more digits than a JSON number can hold exactly. Send fewer.`
    )
  })
  return Result.succeed({ value: parsed.success, faults: [...reader.unclean, ...inexact] })
}

/**
 * Like `parseJson`, for text that has not been checked yet. Text beyond `maxDepth` or `maxParts` fails without being
 * parsed.
 */
export const readJson = (
  text: string,
  numbers: "quoted" | "unquoted" = "quoted"
): Result.Result<JsonDocument, Problem> =>
  Result.flatMap(BoundedBody.of(new TextEncoder().encode(text)), (bounded) => parseJson(bounded, numbers))
