import { Predicate, Result } from "effect"
import { shapeOf } from "./shapeOf.js"

const mask = "<redacted>"
const longest = 2_000
/** Number of characters of a string that are searched for values to mask. The rest is dropped. */
const mostRead = 2 * longest
const deepest = 5
const mostFrames = 30

/** Length below which a value is masked only as a whole word. Otherwise a user id of `1` would mask every digit 1. */
const leastWithin = 4

const pattern = (text: string): RegExp => {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")
  return new RegExp(text.length < leastWithin ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, "giu")
}

/** Forms in which a host's error may quote a value: verbatim, in a url or its query, in JSON. */
const spellings = (value: string): ReadonlyArray<string> => {
  const inUrl = encodeURIComponent(value)
  return [...new Set([value, inUrl, inUrl.replaceAll("%20", "+"), JSON.stringify(value).slice(1, -1)])]
}

/**
 * Matches seven or more digits, even if separated by single spaces or hyphens, as in identity and phone numbers. Also
 * matches 64 or more characters of base64 or hex, as in keys, tokens and images.
 */
const suspicious = /\d(?:[ -]?\d){6,}|[A-Za-z0-9+/_=-]{64,}/gu

type Masked = (text: string) => string

/** Start (inclusive) and end (exclusive) of a range in a string. */
type Range = readonly [start: number, end: number]

/**
 * Returns the range at the end of a truncated string that matches the start of a value. Truncation may have split the
 * value. Ignores matches shorter than `leastWithin`.
 */
const begunIn = (cut: string, values: ReadonlyArray<string>): ReadonlyArray<Range> => {
  const low = cut.toLowerCase()
  const begun = values.map((value) => {
    const start = value.toLowerCase()
    let length = Math.min(start.length, low.length)
    while (length >= leastWithin && !low.endsWith(start.slice(0, length))) length -= 1
    return length < leastWithin ? 0 : length
  })
  const length = Math.max(0, ...begun)
  return length === 0 ? [] : [[Math.max(0, cut.length - length), cut.length]]
}

const rangesOf = (text: string, one: RegExp): ReadonlyArray<Range> =>
  [...text.matchAll(one)].map(({ 0: found, index }) => [index, index + found.length])

/** Overlapping ranges get one mask, so no part of either range stays visible. */
const maskRanges = (text: string, ranges: ReadonlyArray<Range>): string => {
  let masked = ""
  let end = 0
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from >= end) masked += text.slice(end, from) + mask
    end = Math.max(end, to)
  }
  return masked + text.slice(end)
}

const masking = (given: ReadonlyArray<string>): Masked => {
  const values = given
    .filter((value) => value !== "")
    .flatMap((value) =>
      Result.getOrElse(
        Result.try(() => spellings(value)),
        () => [value]
      )
    )
  // A value longer than `mostRead` gets no pattern: it cannot occur in full in a string truncated to that length.
  const within = values.filter(({ length }) => length >= leastWithin && length <= mostRead).map(pattern)
  const words = values.filter(({ length }) => length < leastWithin).map(pattern)
  return (text) => {
    const cut = text.slice(0, mostRead)
    const ranges = within.flatMap((one) => rangesOf(cut, one))
    const masked = maskRanges(cut, text.length > mostRead ? [...ranges, ...begunIn(cut, values)] : ranges)
    const safe = words.reduce((rest, one) => rest.replace(one, mask), masked).replace(suspicious, mask)
    return safe.length > longest ? `${safe.slice(0, longest)}…` : safe
  }
}

const textOf = (value: unknown, field: string): string | undefined => {
  const text = Predicate.hasProperty(value, field) ? value[field] : undefined
  return typeof text === "string" && text !== "" ? text : undefined
}

const framesOf = (stack: string): ReadonlyArray<string> =>
  stack
    .split("\n")
    .filter((line) => /^\s+at \S.*[):\d]$/u.test(line))
    .slice(0, mostFrames)

const describe = (cause: unknown, masked: Masked, depth: number): Error => {
  const thrown = typeof cause === "string" ? cause : undefined
  const message = thrown ?? textOf(cause, "message") ?? (cause instanceof Error ? "" : `${shapeOf(cause)} was thrown`)
  const error = new Error(masked(message))
  error.name = masked(textOf(cause, "name") ?? "Error")
  const frames = framesOf(textOf(cause, "stack") ?? "").map(masked)
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n")
  if (depth < deepest && Predicate.hasProperty(cause, "cause") && cause.cause !== undefined) {
    error.cause = describe(cause.cause, masked, depth + 1)
  }
  return error
}

const unreadable = (): Error => {
  const error = new Error("what was thrown cannot be read")
  error.stack = `Error: ${error.message}`
  return error
}

/**
 * Reduces an error thrown by a host's part to name, message, stack and inner causes, for the log. Keeps at most
 * `deepest` errors, `mostFrames` frames of each stack, and `longest` characters of each string. Masks `given`, the
 * arguments that the part may quote, and text that matches `suspicious`. Never throws.
 */
export const loggableCause = (cause: unknown, given: ReadonlyArray<string>): Error =>
  Result.getOrElse(
    Result.try(() => describe(cause, masking(given), 1)),
    unreadable
  )

/** Minimum length of a header's token that is masked. A shorter token may be a word that occurs in any message. */
const leastQuoted = 8

/**
 * Returns the strings of a request's headers that a host's part may quote in an error: each complete value, and its
 * tokens of at least `leastQuoted` characters, such as the values of cookies.
 */
export const quotableHeaders = (headers: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.values(headers).flatMap((header) =>
    header === undefined ? [] : [header, ...header.split(/[;=,\s]+/u).filter((part) => part.length >= leastQuoted)]
  )
