import { Context, Effect, Layer, Option, type Redacted } from "effect"
import type { Environment } from "../Environment.js"
import type { StoreError } from "../StoreError.js"
import { type RecordPlace, type SearchGroup, SearchIndex } from "./SearchIndex.js"
import { placedIdOf, searchTerms } from "./SearchTerms.js"

export const shownOfAKind = 5

/** Limit up to which the hits of each kind are counted. At this limit, the search page shows "100 or more". */
export const countedTo = 100

/**
 * The result of a search. `Record`: the query was a complete id that `SearchIndex.place` found. The record belongs to
 * the searched environment or, like a merchant, to none.
 */
export type SearchResult =
  | { readonly _tag: "Record"; readonly place: RecordPlace }
  | {
      readonly _tag: "Found"
      /** Empty if nothing was found in the searched environment. */
      readonly groups: ReadonlyArray<SearchGroup>
      /**
       * Number of hits in the other environment, each kind counted up to `countedTo`. These hits are not shown.
       * Merchants are not counted, since a search of either environment finds them.
       */
      readonly elsewhere: number
    }

/** Finds records by id. Also finds merchants, people, payments and refunds by other properties. */
export class Search extends Context.Service<
  Search,
  {
    /** Searches an environment. The query may contain a person's details, so it is redacted. */
    readonly find: (
      environment: Environment,
      query: Redacted.Redacted<string>
    ) => Effect.Effect<SearchResult, StoreError>
  }
>()("@surety/core/search/Search") {}

const nothing: SearchResult = { _tag: "Found", groups: [], elsewhere: 0 }

const other = (environment: Environment): Environment => (environment === "LIVE" ? "TEST" : "LIVE")

export const layer: Layer.Layer<Search, never, SearchIndex> = Layer.effect(
  Search,
  Effect.map(SearchIndex, (index) => {
    const find = Effect.fn("Search.find")(function* (
      environment: Environment,
      query: Redacted.Redacted<string>
    ): Effect.fn.Return<SearchResult, StoreError> {
      const id = placedIdOf(query)
      const place = id === undefined ? Option.none() : yield* index.place(id)
      if (Option.isSome(place)) {
        const isHere = (place.value.environment ?? environment) === environment
        return isHere ? { _tag: "Record", place: place.value } : { ...nothing, elsewhere: 1 }
      }
      const terms = searchTerms(query)
      if (terms === undefined) return nothing
      const groups = yield* index.find(environment, terms, { limit: shownOfAKind, countTo: countedTo })
      const others = yield* index.find(other(environment), terms, { limit: 0, countTo: countedTo })
      const counted = others.filter(({ kind }) => kind !== "merchant").reduce((sum, { count }) => sum + count, 0)
      return { _tag: "Found", groups, elsewhere: counted }
    })

    return Search.of({ find })
  })
)
