import type { Operation } from "../../../tests/sdks/interface/MerchantInterface.ts"
import type { Call } from "./Call.ts"
import { partsOf } from "./Shell.ts"

/** Returns a name for a response's record: `DataRequest` becomes `dataRequest`, and `TestClock` becomes `clock`. */
export const recordName = ({ answer: { name } }: Operation): string => {
  const short = name.replace(/^Test(?=[A-Z])/u, "")
  return short.charAt(0).toLowerCase() + short.slice(1)
}

/**
 * The name of a call's result. `isRead` is true if a later call uses the result. It is also true for the last result,
 * which is printed.
 */
export interface Result {
  readonly name: string
  readonly isRead: boolean
}

/** Returns every string of a call that may contain marks. */
export const textsOf = ({ body, idempotencyKey, path, query }: Call): ReadonlyArray<string> => {
  const texts: Array<string> = [...Object.values(path), ...Object.values(query)]
  if (idempotencyKey !== undefined) texts.push(idempotencyKey)
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value)
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit)
  }
  visit(body)
  return texts
}

export const variablesOf = (calls: ReadonlyArray<Call>): ReadonlyArray<string> => [
  ...new Set(
    calls
      .flatMap(textsOf)
      .flatMap((text) => partsOf(text).flatMap((part) => (part.kind === "variable" ? [part.name] : [])))
  )
]

/** Names the result of each call. From its second use on, a name gets a number: `refund2`. */
export const resultsOf = (calls: ReadonlyArray<Call>): ReadonlyArray<Result> => {
  const used = new Map<string, number>()
  const read = new Set(
    calls
      .flatMap(textsOf)
      .flatMap((text) => partsOf(text).flatMap((part) => (part.kind === "field" ? [part.call] : [])))
  )
  return calls.map(({ operation }, index) => {
    const name = recordName(operation)
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    return { name: count === 1 ? name : `${name}${count}`, isRead: read.has(index) || index === calls.length - 1 }
  })
}
