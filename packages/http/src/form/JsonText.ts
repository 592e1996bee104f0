import { maxFaults } from "@surety/core/input/InputFault"
import { uncleanTexts } from "@surety/core/input/Text"
import { Result } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"
import { type Problem, problem } from "../problem/Problem.js"
import { BoundedText } from "./BoundedText.js"

export { maxDepth, maxParts } from "./JsonScan.js"

/** A JSON value, and what is wrong with its texts and numbers apart from any schema. */
export interface JsonDocument {
  readonly value: unknown
  readonly faults: ReadonlyArray<Fault>
}

const backslash = 92

const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end >= 0) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Counts the keys of a value, which nests no deeper than its text was bounded to. */
const countKeys = (value: object): number => {
  // Values by key, which for an object of thousands is twice as fast as `Object.values`.
  const keys = Object.keys(value)
  let count = Array.isArray(value) ? 0 : keys.length
  for (const key of keys) {
    const item: unknown = Reflect.get(value, key)
    if (isObject(item)) count += countKeys(item)
  }
  return count
}

const numberToken = /-?(\d+)(?:\.(\d+))?(?:[eE][+-]?\d+)?/g

const zero = 48

/** Without the zeros at both ends. A pattern for the last ones would try from each zero of a long row again. */
const significant = (digits: string): string => {
  let start = 0
  let end = digits.length
  while (digits.charCodeAt(start) === zero) start += 1
  while (end > start && digits.charCodeAt(end - 1) === zero) end -= 1
  return digits.slice(start, end)
}

const digitsOf = (token: string): string => significant(token.replace(/[eE].*$/, "").replace(/[-.]/g, ""))

/** Numbers that a double cannot hold: what would be read is not what was sent. */
const inexactNumbers = (text: string): ReadonlyArray<string> => {
  const inexact: Array<string> = []
  let from = 0
  while (from <= text.length) {
    const start = text.indexOf('"', from)
    const outside = text.slice(from, start < 0 ? text.length : start)
    for (const [token] of outside.matchAll(numberToken)) {
      if (digitsOf(token) !== digitsOf(String(Number(token)))) inexact.push(token)
    }
    if (start < 0) break
    from = endOfString(text, start) + 1
  }
  return inexact
}

/**
 * Parses a JSON text strictly: valid (RFC 8259), and no key twice in an object. Strings with NUL or lone surrogates, and
 * numbers with more digits than a double holds, are reported as faults. Numbers are quoted in them unless they may be
 * personal data.
 */
export const parseJson = (
  { scanned, text }: BoundedText,
  numbers: "quoted" | "unquoted" = "quoted"
): Result.Result<JsonDocument, Problem> => {
  // Parsing would first copy the text as a whole, to find at its end that it is cut off.
  if (!scanned.isClosed) return Result.fail(problem("invalid_json"))
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return Result.fail(problem("invalid_json"))
  const value = parsed.success
  if (isObject(value) && countKeys(value) !== scanned.keys) {
    return Result.fail(problem("invalid_json", { detail: "An object in the body has the same field twice." }))
  }
  const faults: Array<Fault> = []
  // UTF-8 cannot encode a lone surrogate, and JSON allows NUL only as an escape.
  if (text.includes("\\"))
    for (const { code, detail, path } of uncleanTexts(value)) faults.push(inBody(path, code, detail))
  if (scanned.hasLongNumber) {
    for (const token of inexactNumbers(text).slice(0, maxFaults)) {
      const which = numbers === "quoted" ? token.slice(0, 64) : "A number"
      faults.push(inBody([], "amount_precision", `${which} has more digits than a JSON number carries.`))
    }
  }
  return Result.succeed({ value, faults })
}

/** Like `parseJson`, for a text that is not bounded yet. Nothing is parsed of one that exceeds `maxDepth` or `maxParts`. */
export const readJson = (
  text: string,
  numbers: "quoted" | "unquoted" = "quoted"
): Result.Result<JsonDocument, Problem> =>
  Result.flatMap(BoundedText.of(text), (bounded) => parseJson(bounded, numbers))
