import { MerchantId } from "@surety/core/Ids"
import { Effect, Option, Schema } from "effect"
import { FilterUnreadable, type PageView } from "./ConsolePage.js"

/**
 * Reads a filter's value, trimmed. Returns `undefined` if it is empty, or if it is `ALL` in a filter with a default.
 */
export const filterOf = ({ query }: Pick<PageView, "query">, name: string, atFirst = ""): string | undefined => {
  const value = (query.get(name) ?? atFirst).trim()
  return value === "" || (atFirst !== "" && value === "ALL") ? undefined : value
}

/**
 * Decodes a filter's value. Returns `undefined` if it is empty, and fails with `FilterUnreadable` if it cannot be
 * decoded.
 */
export const readFilter = <A>(
  view: Pick<PageView, "query">,
  name: string,
  read: (value: string) => Option.Option<A>,
  atFirst?: string
): Effect.Effect<A | undefined, FilterUnreadable> => {
  const value = filterOf(view, name, atFirst)
  if (value === undefined) return Effect.succeed(undefined)
  return Option.match(read(value), {
    onNone: () => Effect.fail(new FilterUnreadable({ name, value })),
    onSome: (found) => Effect.succeed(found)
  })
}

const readMerchantId = Schema.decodeUnknownOption(MerchantId)

/** Reads the merchant filter, `undefined` for all merchants. */
export const merchantSought = (view: Pick<PageView, "query">) => readFilter(view, "merchant", readMerchantId)

/**
 * Reads the range of `dayFilters`, from the start of the first day to the end of the last in the console's time zone.
 */
export const readDays = Effect.fnUntraced(function* (view: Pick<PageView, "query" | "times">) {
  const dayOf = (value: string) => Option.fromUndefinedOr(view.times.daysBounds(value))
  const first = yield* readFilter(view, "from", dayOf)
  const last = yield* readFilter(view, "to", dayOf)
  return { since: first?.begin, until: last?.end }
})
