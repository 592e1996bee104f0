import { Context, type DateTime, type Effect, type Option, type Redacted } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { MerchantId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { StoreError } from "../StoreError.js"
import type { PlacedId, PlacedKind, SearchTerms } from "./SearchTerms.js"

/** Where a record is: what a page needs to read it. */
export interface RecordPlace {
  readonly kind: PlacedKind
  readonly id: string
  /** Absent for a merchant, who is in both. */
  readonly environment?: Environment
  readonly merchantId?: MerchantId
  readonly serviceId?: ConsumerId
}

/** What a hit was found by. A name begins with the search text; all others equal it. */
export type MatchedBy = "id" | "code" | "reference" | "email" | "name"

/** A record that a search found. Its time orders the hits of a kind, the newest first. */
export interface SearchHit {
  readonly id: string
  readonly by: MatchedBy
  readonly at: DateTime.Utc
  readonly merchantId?: MerchantId
  /** Absent if the record concerns no person, or one who was erased. */
  readonly serviceId?: ConsumerId
  /** Of a person, or of a merchant. */
  readonly name?: Redacted.Redacted<string>
  readonly status?: string
  readonly amount?: Money
}

export const searchedKinds = ["merchant", "person", "payment", "refund"] as const
export type SearchedKind = (typeof searchedKinds)[number]

/** The hits of a kind: exact ones first, then the newest. */
export interface SearchGroup {
  readonly kind: SearchedKind
  readonly hits: ReadonlyArray<SearchHit>
  /** How many there are, counted up to `SearchBounds.countTo`. */
  readonly count: number
}

export interface SearchBounds {
  /** The most hits of a kind that are returned. */
  readonly limit: number
  /** Counting the hits of a kind stops here. */
  readonly countTo: number
}

/** Finds records by what people know about them. Each lookup uses an index. */
export class SearchIndex extends Context.Service<
  SearchIndex,
  {
    /** The record of a whole id, in either environment; none if it is missing. */
    readonly place: (id: PlacedId) => Effect.Effect<Option.Option<RecordPlace>, StoreError>

    /**
     * The environment's hits for the terms, in the order of `searchedKinds`, without kinds that have none. Merchants by
     * id of the host's, business code and beginning of a name; people by identifier, user id, external id, whole e-mail
     * and beginning of a name; payments by id and reference; refunds by the reference of the payment and by the
     * merchant's own. An erased person is not found.
     */
    readonly find: (
      environment: Environment,
      terms: SearchTerms,
      bounds: SearchBounds
    ) => Effect.Effect<ReadonlyArray<SearchGroup>, StoreError>
  }
>()("@surety/core/search/SearchIndex") {}
