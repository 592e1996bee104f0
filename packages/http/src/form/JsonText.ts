import { Result } from "effect"
import { type Fault, inBody, maxFaults } from "../problem/Fault.js"
import { type Problem, problem } from "../problem/Problem.js"

/** How deep objects and arrays may be nested. */
export const maxDepth = 32

/**
 * How many fields and items a body may have in all. The largest that any route takes has some four hundred; without
 * this, one large body of unknown fields would keep the whole server busy with telling of each.
 */
export const maxParts = 10_000

/** A JSON value, and what is wrong with its texts and numbers apart from any schema. */
export interface JsonDocument {
  readonly value: unknown
  readonly faults: ReadonlyArray<Fault>
}

const backslash = 92
const colon = 58

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

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** How many object keys a valid JSON text has: a string that a colon follows is one. */
const countWrittenKeys = (text: string): number => {
  let keys = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start)
    let next = end + 1
    while (isSpace(text.charCodeAt(next))) next += 1
    if (text.charCodeAt(next) === colon) keys += 1
    start = text.indexOf('"', end + 1)
  }
  return keys
}

interface Tally {
  keys: number
  items: number
  tooDeep: boolean
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Counts the keys and items of a value and sees whether it is nested too deeply; goes no deeper than that. */
const tally = (value: object, depth: number, counted: Tally): void => {
  if (depth > maxDepth) {
    counted.tooDeep = true
    return
  }
  if (Array.isArray(value)) {
    counted.items += value.length
    for (const item of value) if (isObject(item)) tally(item, depth + 1, counted)
    return
  }
  for (const item of Object.values(value)) {
    counted.keys += 1
    if (isObject(item)) tally(item, depth + 1, counted)
  }
}

const isClean = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const uncleanText = (path: ReadonlyArray<PropertyKey>): Fault =>
  inBody(path, "invalid_characters", "The text has a NUL character or a lone surrogate.")

/** Adds to `found` each text that is not clean, the first ones where there are very many. */
const findUnclean = (value: unknown, path: ReadonlyArray<PropertyKey>, found: Array<Fault>): void => {
  if (found.length >= maxFaults) return
  if (typeof value === "string") {
    if (!isClean(value)) found.push(uncleanText(path))
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnclean(item, [...path, index], found)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (isClean(key)) findUnclean(item, [...path, key], found)
      else found.push(uncleanText([...path, key]))
    }
  }
}

/** Texts in a value that have NUL or a lone surrogate, each as a fault. */
export const uncleanTexts = (value: unknown): ReadonlyArray<Fault> => {
  const found: Array<Fault> = []
  findUnclean(value, [], found)
  return found
}

const longNumber = /[\d.]{17}/
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

const tooManyParts = `The body has more than ${maxParts} fields and items.`

/**
 * Reads a JSON text strictly: valid (RFC 8259), no key twice in an object, at most `maxDepth` deep and of at most
 * `maxParts`. Texts with NUL or lone surrogates, and numbers with more digits than a double holds, are listed as faults;
 * the numbers are quoted unless they may be somebody's.
 */
export const readJson = (
  text: string,
  numbers: "quoted" | "unquoted" = "quoted"
): Result.Result<JsonDocument, Problem> => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return Result.fail(problem("invalid_json"))
  const value = parsed.success
  const faults: Array<Fault> = []
  if (isObject(value)) {
    const counted: Tally = { keys: 0, items: 0, tooDeep: false }
    tally(value, 1, counted)
    if (counted.tooDeep) return Result.fail(problem("json_too_deep"))
    if (counted.keys + counted.items > maxParts) return Result.fail(problem("invalid_json", { detail: tooManyParts }))
    if (counted.keys !== countWrittenKeys(text)) {
      return Result.fail(problem("invalid_json", { detail: "An object in the body has the same field twice." }))
    }
  }
  // UTF-8 can hold neither a lone surrogate, nor JSON a NUL, but as an escape.
  if (text.includes("\\u")) findUnclean(value, [], faults)
  if (longNumber.test(text)) {
    for (const token of inexactNumbers(text).slice(0, maxFaults)) {
      const which = numbers === "quoted" ? token.slice(0, 64) : "A number"
      faults.push(inBody([], "amount_precision", `${which} has more digits than a JSON number carries.`))
    }
  }
  return Result.succeed({ value, faults })
}
