import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { commandWord } from "./commandWord.js"
import type { Field, FieldSchema } from "./Operation.js"

/** The value typed for a field, if any. */
export type Typed = string | boolean | ReadonlyArray<string> | undefined

const described = ({ allOf = [], description, examples = [] }: FieldSchema): string => {
  const example = examples[0] === undefined ? undefined : `Example: ${examples[0]}`
  return [description, ...allOf.map((part) => part.description), example].filter((text) => text !== undefined).join(" ")
}

const optionally = <A>(flag: Flag.Flag<A>, isRequired: boolean): Flag.Flag<A | undefined> =>
  isRequired ? flag : Flag.map(Flag.optional(flag), Option.getOrUndefined)

const flagOf = ({ name, required, schema }: Field): Flag.Flag<Typed> => {
  const flag = commandWord(name)
  if (schema.type === "boolean") return optionally(Flag.Boolean(flag), required)
  if (schema.type === "array") {
    const choices = schema.items?.enum
    const item = choices === undefined ? Flag.String(flag) : Flag.Literals(flag, choices)
    return optionally(Flag.atLeast(item, 1), required)
  }
  const value = schema.enum === undefined ? Flag.String(flag) : Flag.Literals(flag, schema.enum.map(String))
  return optionally(value, required)
}

/** Returns false for an empty segment, `.` and `..`, which would reach another route. */
const isSegment = (text: string): boolean => !/^\.{0,2}$/.test(text)

/** Builds the input of a field. Path fields become arguments, all others flags. */
export const fieldInput = (field: Field): Argument.Argument<Typed> | Flag.Flag<Typed> => {
  if (field.place !== "path") return Flag.withDescription(flagOf(field), described(field.schema))
  const argument: Argument.Argument<Typed> = Argument.filter(
    Argument.String(commandWord(field.name)),
    isSegment,
    () => "it must be an id"
  )
  return Argument.withDescription(argument, described(field.schema))
}

const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/

const jsonOf = ({ schema }: Field, typed: Exclude<Typed, undefined>): string =>
  // Sends numbers with exactly the typed digits, so that amounts are not rounded.
  (schema.type === "number" || schema.type === "integer") && typeof typed === "string" && isNumber.test(typed)
    ? typed
    : JSON.stringify(typed)

/** Builds the JSON body from the typed fields. */
export const requestBodyOf = (fields: ReadonlyArray<readonly [Field, Typed]>): string => {
  const members = fields.flatMap(([field, typed]) =>
    field.place !== "body" || typed === undefined ? [] : [`${JSON.stringify(field.name)}:${jsonOf(field, typed)}`]
  )
  return `{${members.join(",")}}`
}

/** Builds the path and query from the typed fields. */
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
