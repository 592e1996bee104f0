import { Effect, Redacted, Result, Schema, SchemaGetter, SchemaIssue, SchemaTransformation } from "effect"
import { type InputFault, maxFaults } from "./InputFault.js"
import { isCalendarTime } from "./isCalendarTime.js"

/** Mask for the bits of a UTF-16 code unit that mark it as half of a surrogate pair. */
const kindOfUnit = 0xfc00
const highHalf = 0xd800
const lowHalf = 0xdc00

/**
 * A regular expression finds the next low half twice as fast as a loop, unless pairs are frequent. So the expression
 * finds a low half, and the loop checks `unitsLooped` units from there.
 */
const anyLowHalf = /[\udc00-\udfff]/g
const unitsLooped = 1024

/**
 * Returns true if the string has at most `characters` code points. Stops early and allocates nothing per character,
 * since a string may have twelve million characters.
 */
const hasAtMost = (text: string, characters: number): boolean => {
  const { length } = text
  let tooMany = length - characters
  // A character has at most two code units, so a string longer than twice the limit has too many characters.
  if (tooMany <= 0 || 2 * tooMany > length) return tooMany <= 0
  for (let index = 1; index < length; ) {
    anyLowHalf.lastIndex = index
    const found = anyLowHalf.exec(text)
    if (found === null) return false
    const end = Math.min(length, found.index + unitsLooped)
    for (index = found.index; index < end; index += 1) {
      if ((text.charCodeAt(index) & kindOfUnit) !== lowHalf) continue
      if ((text.charCodeAt(index - 1) & kindOfUnit) !== highHalf) continue
      tooMany -= 1
      if (tooMany === 0) return true
    }
  }
  return false
}

/** Limits a string's length in Unicode code points, as JSON Schema does. */
export const atMost = (characters: number) =>
  Schema.makeFilter((text: string) => hasAtMost(text, characters), {
    expected: `a string of at most ${characters} characters`,
    code: "too_long",
    longest: characters,
    toJsonSchema: () => ({ maxLength: characters })
  })

/** Requires a minimum length in Unicode code points. */
export const atLeast = (characters: number) =>
  Schema.isMinCodePoints(characters, {
    expected: `a string of at least ${characters} ${characters === 1 ? "character" : "characters"}`,
    code: "too_short"
  })

/** A string of at most `characters` characters, possibly empty. */
export const text = (characters: number) => Schema.String.check(atMost(characters))

const isNotBlank = Schema.makeFilter((value: string) => value.trim() !== "", {
  expected: "a string that is not blank",
  code: "blank",
  toJsonSchema: () => ({ pattern: "\\S" })
})

/** A string of at most `characters` characters that is not blank. */
export const filledText = (characters: number) => Schema.String.check(isNotBlank, atMost(characters))

/** A string of 1 to `characters` characters. */
export const identifierText = (characters: number) => Schema.String.check(atLeast(1), atMost(characters))

/** Maximum number of items in any list of a request. A schema may set a lower limit. */
export const longestList = maxFaults

const items = (count: number): string => (count === 1 ? "1 item" : `${count} items`)

export const atLeastItems = (count: number) =>
  Schema.isMinLength(count, { expected: `a list of at least ${items(count)}`, code: "too_short" })

/** Limits a list's length. Throws if `count` exceeds `longestList`, the limit of every list in a request. */
export const atMostItems = (count: number) => {
  if (count > longestList) throw new Error(`Raise longestList for a list of ${count} items`)
  return Schema.isMaxLength(count, { expected: `a list of at most ${items(count)}`, code: "too_long" })
}

/** Why an input was rejected: a code, and a message for the caller. */
export interface TextFault {
  readonly code: string
  readonly detail: string
}

/** Builds a schema issue from which `issueFaults` recovers the fault's code and detail. */
export const issueOf = ({ code, detail }: TextFault): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ message: detail, code })

/**
 * Builds the schema of a string field decoded by `parse`, which may read `Context.Reference`s. Encoding leaves the
 * decoded value unchanged.
 */
export const parsedText = <A extends string>(
  source: Schema.Codec<string>,
  target: Schema.Codec<A, string>,
  parse: (text: string) => Effect.Effect<Result.Result<A, TextFault>>
) =>
  source.pipe(
    Schema.decodeTo(Schema.toType(target), {
      decode: SchemaGetter.transformEffect((text: string) =>
        Effect.flatMap(parse(text), (parsed) =>
          Result.isSuccess(parsed) ? Effect.succeed(parsed.success) : Effect.fail(issueOf(parsed.failure))
        )
      ),
      encode: SchemaGetter.transform((value: A): string => value)
    })
  )

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Returns false for a string that contains NUL or a lone surrogate. Such a string must never be stored. */
export const isClean = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

export const uncleanText = (path: ReadonlyArray<PropertyKey>): InputFault => ({
  path,
  code: "invalid_characters",
  detail: "The string has a NUL character or a lone surrogate. Remove it."
})

const findUnclean = (value: unknown, path: ReadonlyArray<PropertyKey>, found: Array<InputFault>): void => {
  if (found.length >= maxFaults) return
  if (typeof value === "string") {
    if (!isClean(value)) found.push(uncleanText(path))
  } else if (Redacted.isRedacted(value)) {
    findUnclean(Redacted.value(value), path, found)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnclean(item, [...path, index], found)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (isClean(key)) findUnclean(item, [...path, key], found)
      else if (found.length < maxFaults) found.push(uncleanText([...path, key]))
    }
  }
}

/** Returns up to `maxFaults` faults of strings and keys in `value` that contain NUL or a lone surrogate. */
export const uncleanTexts = (value: unknown): ReadonlyArray<InputFault> => {
  const found: Array<InputFault> = []
  findUnclean(value, [], found)
  return found
}

const momentForm = /^[2-9]\d{3}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/u

const momentFault = {
  expected: "an existing date and time with its offset, such as 2026-03-01T09:30:00Z",
  code: "wrong_format"
}

const offset = /(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

const secondsEnd = "2026-03-01T09:30:00".length

/**
 * Rejects a time that does not exist. Accepts a string that does not match `momentForm`, because the next check rejects
 * it. This gives each string at most one fault.
 */
const isRealMoment = Schema.makeFilter(
  (sent: string) =>
    !momentForm.test(sent) || (offset.test(sent) && isCalendarTime(sent.slice(0, secondsEnd).toUpperCase())),
  momentFault
)

/**
 * A time in a request (RFC 3339, section 5.6), from the year 2000, in UTC or with an offset. Requires seconds, with up
 * to nine decimals. Rejects a time that does not exist, such as one on 30 February.
 */
export const Moment = Schema.String.check(isRealMoment, Schema.isPattern(momentForm, momentFault))
  .annotate({ format: "date-time", examples: ["2026-03-01T09:30:00Z"] })
  .pipe(Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString))
