import type { Page, PageRequest } from "@surety/core/Page"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { CellName } from "../Cells.js"
import type { Router, Stores } from "./Router.js"

/** Each cell's cursor in its own list. `null`: the list has ended. Absent: the list starts from the beginning. */
const Positions = Schema.fromJsonString(Schema.Record(CellName, Schema.NullOr(Schema.String)))
type Positions = typeof Positions.Type

const encode = Schema.encodeSync(Positions)
const decode = Schema.decodeUnknownOption(Positions)

const opened = (cursor: string): Option.Option<Positions> => {
  const text = Base64Url.decodeString(cursor)
  return Result.isFailure(text) ? Option.none() : decode(text.success)
}

/** Maximum retries of a page if a cell's list changes between the two reads of that cell. */
const mergeTries = 5

const restless = (operation: string): StoreError =>
  new StoreError({
    operation,
    reason: new StoreUnavailable({ cause: new Error("The list changed while it was read") })
  })

interface Part<A> {
  readonly cell: CellName
  readonly start: string | undefined
  readonly page: Page<A>
}

export interface Merge<A> {
  /** Returns a negative number if `one` precedes `other`, in the order of every cell's list. */
  readonly order: (one: A, other: A) => number
  /** Returns a string that identifies an item within the list. */
  readonly nameOf: (item: A) => string
}

/**
 * Builds a function that reads a page across all cells, in the order of each cell's list. The page's cursor holds each
 * cell's position. An invalid cursor gives an empty page. Fails if a cell whose list has not ended is down, because a
 * list with a gap would look complete. Also fails if a cell's list keeps changing.
 */
export const makeMergePages =
  ({ at, names }: Router) =>
  <A>(
    operation: string,
    { order, nameOf }: Merge<A>,
    request: PageRequest,
    read: (stores: Stores, page: PageRequest, cell: CellName) => Effect.Effect<Page<A>, StoreError>
  ): Effect.Effect<Page<A>, StoreError> => {
    const start = request.cursor === undefined ? Option.some<Positions>({}) : opened(request.cursor)
    const empty: Page<A> = { data: [], nextCursor: undefined }
    if (Option.isNone(start)) return Effect.succeed(empty)
    // A cell may have the same name as an inherited object member, such as `constructor`.
    const positionOf = (cell: CellName) => (Object.hasOwn(start.value, cell) ? start.value[cell] : undefined)
    const readCell = (cell: CellName, limit: number) =>
      at(cell, operation)((stores) => read(stores, { limit, cursor: positionOf(cell) ?? undefined }, cell))

    const merged = Effect.gen(function* () {
      const parts: ReadonlyArray<Part<A>> = yield* Effect.forEach(
        names.filter((cell) => positionOf(cell) !== null),
        (cell) =>
          Effect.map(readCell(cell, request.limit), (page) => ({ cell, start: positionOf(cell) ?? undefined, page })),
        { concurrency: "unbounded" }
      )
      const data = parts
        .flatMap(({ cell, page }) => page.data.map((item) => ({ cell, item })))
        .sort((one, other) => order(one.item, other.item))
        .slice(0, request.limit)
      const next: Record<string, string | null> = {}
      for (const { cell, page, start: from } of parts) {
        const taken = data.filter((entry) => entry.cell === cell).map(({ item }) => item)
        const last = taken.at(-1)
        if (taken.length === page.data.length) next[cell] = page.nextCursor ?? null
        else if (last === undefined) {
          if (from !== undefined) next[cell] = from
        } else {
          // Reads the cell again, limited to the items taken, to get the cursor after the last item taken. If the page
          // ends with another item, the list has changed, and the merge is retried.
          const shorter = yield* readCell(cell, taken.length)
          const end = shorter.data.at(-1)
          if (end === undefined || nameOf(end) !== nameOf(last)) return Option.none<Page<A>>()
          next[cell] = shorter.nextCursor ?? null
        }
      }
      for (const cell of names) if (positionOf(cell) === null) next[cell] = null
      const isOver = names.every((cell) => next[cell] === null)
      return Option.some<Page<A>>({
        data: data.map(({ item }) => item),
        nextCursor: isOver ? undefined : Base64Url.encode(encode(next as Positions))
      })
    })

    const attempt = (left: number): Effect.Effect<Page<A>, StoreError> =>
      Effect.flatMap(
        merged,
        Option.match({
          onSome: (page) => Effect.succeed(page),
          onNone: () => (left > 0 ? attempt(left - 1) : Effect.fail(restless(operation)))
        })
      )
    return attempt(mergeTries)
  }

/** Builds a merge that lists the newest items first, by an id that sorts by time. */
export const newestFirst = <A>(idOf: (item: A) => string): Merge<A> => ({
  order: (one, other) => (idOf(one) < idOf(other) ? 1 : idOf(one) > idOf(other) ? -1 : 0),
  nameOf: idOf
})

/** Builds a merge that lists the latest items first, by a time in epoch milliseconds and then an id. */
export const latestFirst = <A>(timeOf: (item: A) => number, idOf: (item: A) => string): Merge<A> => {
  const byId = newestFirst(idOf)
  return { order: (one, other) => timeOf(other) - timeOf(one) || byId.order(one, other), nameOf: idOf }
}
