import { Result } from "effect"

const mostFields = 12
const fieldName = /^[A-Za-z_$][\w$]{0,39}$/u

const articled: Readonly<Record<string, string>> = {
  bigint: "a bigint",
  boolean: "a boolean",
  function: "a function",
  number: "a number",
  string: "a string",
  symbol: "a symbol",
  undefined: "undefined"
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return articled[typeof value] ?? "an object"
}

/** Returns an object's tag: `[object Map]` for a `Map`, `[object Object]` for an object without a tag. */
const tagOf = (value: object): string => Object.prototype.toString.call(value)

/**
 * Returns true for an object without a tag: a plain object, or an instance of an ordinary class. Returns false for an
 * `Error`, `Map`, `Date`, `Response` or array, whose own fields do not describe it completely.
 */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && tagOf(value) === "[object Object]"

const fieldsOf = (value: object): string => {
  const names = Object.keys(value)
  const shown = names.slice(0, mostFields).map((name) => {
    const field = Object.getOwnPropertyDescriptor(value, name)
    const kind = field !== undefined && "value" in field ? kindOf(field.value).replace(/^an? /u, "") : "getter"
    return `${fieldName.test(name) ? name : "…"}: ${kind}`
  })
  return [...shown, ...(names.length > mostFields ? [`${names.length - mostFields} more`] : [])].join(", ")
}

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "string") return value === "" ? "an empty string" : "a string"
  if (typeof value !== "object" || value === null) return kindOf(value)
  const fields = fieldsOf(value)
  const kind = isRecord(value) ? "an object" : `an object ${tagOf(value).slice("[object ".length, -1)}`
  return fields === "" ? (isRecord(value) ? "an empty object" : kind) : `${kind} { ${fields} }`
}

/**
 * Describes a value for a log by its type and the names and types of its fields. Never contains the fields' values,
 * which may be personal. Never throws, even for a proxy that does.
 */
export const shapeOf = (value: unknown): string =>
  Result.getOrElse(
    Result.try(() => describe(value)),
    () => "an object that cannot be read"
  )
