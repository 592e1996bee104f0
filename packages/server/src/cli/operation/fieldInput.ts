import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { commandWord } from "./commandWord.js"
import type { Field } from "./Operation.js"

export type Typed = string | boolean | ReadonlyArray<string> | undefined

/** Describes a field, and how to type a list or `false`. */
const described = ({ name, place, schema: { allOf = [], description, examples = [], type } }: Field): string => {
  const [first] = examples
  const shown = Array.isArray(first) ? first.join(",") : first
  const listed = type === "array" ? "Separate values with commas, or repeat the flag." : undefined
  const negated = type === "boolean" && place !== "path" ? `--no-${commandWord(name)} for false.` : undefined
  const example = shown === undefined ? undefined : `Example: ${shown}`
  return [description, ...allOf.map((part) => part.description), listed, negated, example]
    .filter((text) => text !== undefined)
    .join(" ")
}

/** Matches the commas between the items of a list. A url may contain commas, but none before another url. */
const separatorOf = ({ schema: { items } }: Field): RegExp => (items?.format === "uri" ? /,\s*(?=https?:)/i : /\s*,\s*/)

/** Splits each value typed for a list's flag into its items, before the flag checks them. */
const separated = (field: Field, flag: Flag.Flag<Typed>): Flag.Flag<Typed> => {
  if (field.schema.type !== "array") return flag
  const name = commandWord(field.name)
  const separator = separatorOf(field)
  const parse: typeof flag.parse = ({ arguments: left, flags }) => {
    const { [name]: typed = [], ...others } = flags
    return flag.parse({ arguments: left, flags: { ...others, [name]: typed.flatMap((text) => text.split(separator)) } })
  }
  return Object.create(flag, { parse: { value: parse } })
}

const optionally = <A>(flag: Flag.Flag<A>, isRequired: boolean): Flag.Flag<A | undefined> =>
  isRequired ? flag : Flag.map(Flag.optional(flag), Option.getOrUndefined)

const flagOf = ({ name, required, schema }: Field): Flag.Flag<Typed> => {
  const flag = commandWord(name)
  if (schema.type === "boolean") return optionally(Flag.Boolean(flag), required)
  if (schema.type === "array") {
    const choices = schema.items?.enum
    const text = Flag.filter(
      Flag.String(flag),
      (item) => item !== "",
      () => "a value between commas"
    )
    const item = choices === undefined ? text : Flag.Literals(flag, choices)
    return optionally(Flag.atLeast(item, 1), required)
  }
  const value = schema.enum === undefined ? Flag.String(flag) : Flag.Literals(flag, schema.enum.map(String))
  return optionally(value, required)
}

/** Returns false for an empty segment, `.` and `..`, which would reach another route. */
const isSegment = (text: string): boolean => !/^\.{0,2}$/.test(text)

/** Path fields become arguments, all others flags. */
export const fieldInput = (field: Field): Argument.Argument<Typed> | Flag.Flag<Typed> => {
  if (field.place !== "path") return separated(field, Flag.withDescription(flagOf(field), described(field)))
  const argument: Argument.Argument<Typed> = Argument.filter(
    Argument.String(commandWord(field.name)),
    isSegment,
    () => "it must be an id"
  )
  return Argument.withDescription(argument, described(field))
}

const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/

/**
 * Converts what was typed to JSON, by the field's types. `null`, `true` and numbers become strings unless the field
 * allows them. A lone `[]` is an empty list. Keeps a number's exact digits, so that amounts are not rounded.
 */
const jsonOf = ({ schema }: Field, typed: Exclude<Typed, undefined>): string => {
  const types = [schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)]
  if (typeof typed === "boolean") return String(typed)
  if (typeof typed !== "string") return typed.length === 1 && typed[0] === "[]" ? "[]" : JSON.stringify(typed)
  const isLiteral =
    (typed === "null" && types.includes("null")) ||
    (typed === "true" && types.includes("boolean")) ||
    (isNumber.test(typed) && (types.includes("number") || types.includes("integer")))
  return isLiteral ? typed : JSON.stringify(typed)
}

/** Returns the idempotency key, if the operation takes it as a header. */
export const typedKey = (fields: ReadonlyArray<readonly [Field, Typed]>): string | undefined => {
  const typed = fields.find(([{ place }]) => place === "header")?.[1]
  return typed === undefined ? undefined : String(typed)
}

export const requestBodyOf = (fields: ReadonlyArray<readonly [Field, Typed]>): string => {
  const members = fields.flatMap(([field, typed]) =>
    field.place !== "body" || typed === undefined ? [] : [`${JSON.stringify(field.name)}:${jsonOf(field, typed)}`]
  )
  return `{${members.join(",")}}`
}

export const targetOf = (path: string, fields: ReadonlyArray<readonly [Field, Typed]>): string => {
  const named = fields.reduce(
    (filled, [{ name, place }, typed]) =>
      place === "path" ? filled.replace(`{${name}}`, encodeURIComponent(String(typed))) : filled,
    path
  )
  const query = new URLSearchParams()
  for (const [{ name, place }, typed] of fields) {
    if (place === "query" && typed !== undefined) query.set(name, String(typed))
  }
  return query.size === 0 ? named : `${named}?${query}`
}
