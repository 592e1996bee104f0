import { nearestName } from "@surety/core/input/nearestName"

/**
 * Checks an option's value, which may be missing. Returns its faults as sentences that begin with the option's name and
 * never quote a possibly secret value.
 */
export type OptionCheck = (value: unknown, name: string) => ReadonlyArray<string>

/** A check for every field of `Value`, optional fields included. */
export type Fields<Value> = { readonly [Name in keyof Value]-?: OptionCheck }

type Values = Readonly<Record<PropertyKey, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Builds a check that accepts values for which `isRight` is true. In the fault, `words` follow the option's name. */
export const must =
  (isRight: (value: unknown) => boolean, words: string): OptionCheck =>
  (value, name) =>
    isRight(value) ? [] : [`${name}: ${words}`]

/** Builds a check for an option that may be omitted. */
export const optional =
  (check: OptionCheck): OptionCheck =>
  (value, name) =>
    value === undefined ? [] : check(value, name)

export const textOption: OptionCheck = must(
  (value) => typeof value === "string" && value !== "",
  "must be a non-empty string"
)

export const count: OptionCheck = must(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  "must be a whole number of at least 1"
)

export const yesOrNo: OptionCheck = must((value) => typeof value === "boolean", "must be true or false")

/** Builds a check that requires one of the given words. */
export const oneOfOption = (...words: ReadonlyArray<string>): OptionCheck =>
  must((value) => words.some((word) => word === value), `must be ${words.map((word) => `"${word}"`).join(" or ")}`)

/** Requires a function. */
export const method: OptionCheck = (value, name) => {
  if (typeof value === "function") return []
  return [value === undefined ? `${name}: a function is missing` : `${name}: must be a function`]
}

const placeOf = (name: string, field: string): string => (name === "" ? field : `${name}.${field}`)

const faultsWithin = (
  fields: Readonly<Record<string, OptionCheck>>,
  value: Values,
  name: string
): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([field, check]) => check(value[field], placeOf(name, field)))

const objectOf = (fields: Readonly<Record<string, OptionCheck>>, name: string): string => {
  const required = Object.keys(fields).filter((field) => fields[field]?.(undefined, field).length !== 0)
  const contents = required.length === 0 ? "" : ` with ${required.join(", ")}`
  return `${name === "" ? "options" : name}: must be an object${contents}`
}

/** Builds a check of a host part's fields. Other fields are allowed. */
export const port =
  <Port>(fields: Fields<Port>): OptionCheck =>
  (value, name) =>
    isObject(value) ? faultsWithin(fields, value, name) : [objectOf(fields, name)]

/**
 * Builds a check of an options object's fields, which rejects unknown fields. `together` returns further faults, such
 * as invalid combinations of fields.
 */
export const options =
  <Options>(fields: Fields<Options>, together: (options: Values) => ReadonlyArray<string> = () => []): OptionCheck =>
  (value, name) => {
    if (!isObject(value)) return [objectOf(fields, name)]
    const known = Object.keys(fields)
    const unknown = Object.keys(value).flatMap((field) => {
      if (known.includes(field)) return []
      const nearest = nearestName(field, known)
      return [`${placeOf(name, field)}: is not an option${nearest === undefined ? "" : `; did you mean ${nearest}?`}`]
    })
    return [...unknown, ...faultsWithin(fields, value, name), ...together(value)]
  }

/** Builds a check for an option that may also be `off`. */
export const offOr =
  (check: OptionCheck): OptionCheck =>
  (value, name) => {
    if (value === "off") return []
    return isObject(value) ? check(value, name) : [`${name}: must be "off" or an object`]
  }
