import { MerchantId } from "@surety/core/Ids"
import { Effect, Option, Schema } from "effect"
import { type FilterKind, FilterUnreadable, type PageView } from "./ConsolePage.js"

/**
 * Returns a filter's trimmed value, or `atFirst` if the query lacks the filter. Returns `undefined` if the value is
 * empty, or if it is `ALL` in a filter with a default.
 */
export const filterOf = ({ query }: Pick<PageView, "query">, name: string, atFirst = ""): string | undefined => {
  const value = (query.get(name) ?? atFirst).trim()
  return value === "" || (atFirst !== "" && value === "ALL") ? undefined : value
}

/**
 * Decodes the value of a filter. Returns `undefined` if `filterOf` does, and fails with `FilterUnreadable` if the value
 * cannot be decoded.
 */
export const readFilter = <A>(
  view: Pick<PageView, "query">,
  name: string,
  takes: FilterKind,
  read: (value: string) => Option.Option<A>,
  atFirst?: string
): Effect.Effect<A | undefined, FilterUnreadable> => {
  const value = filterOf(view, name, atFirst)
  if (value === undefined) return Effect.succeed(undefined)
  return Option.match(read(value), {
    onNone: () => Effect.fail(new FilterUnreadable({ name, value, takes })),
    onSome: (found) => Effect.succeed(found)
  })
}

const readMerchantId = Schema.decodeUnknownOption(MerchantId)

/** Returns the merchant id in the `merchant` filter, or `undefined` for all merchants. */
export const merchantSought = (view: Pick<PageView, "query">) => readFilter(view, "merchant", "id", readMerchantId)

/**
 * Parses the range of `dayFilters`, in the console's time zone: the start of the first day and the end of the last.
 * Each is undefined if its filter is empty. Fails with `FilterUnreadable` if a filter's value is not a day.
 */
export const readDays = Effect.fnUntraced(function* (view: Pick<PageView, "query" | "times">) {
  const dayOf = (value: string) => Option.fromUndefinedOr(view.times.daysBounds(value))
  const first = yield* readFilter(view, "from", "day", dayOf)
  const last = yield* readFilter(view, "to", "day", dayOf)
  return { since: first?.begin, until: last?.end }
})
