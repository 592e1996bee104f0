import { Context, type DateTime, type Effect, type Option, type Redacted } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { MerchantId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { StoreError } from "../StoreError.js"
import type { PlacedId, PlacedKind, SearchTerms } from "./SearchTerms.js"

/**
 * A record's kind and id, and the environment, merchant and person to which it belongs. The console builds the path of
 * the record's page, if any, from these values.
 */
export interface RecordPlace {
  readonly kind: PlacedKind
  readonly id: string
  /** Absent for a record that belongs to no environment, such as a merchant. */
  readonly environment?: Environment
  readonly merchantId?: MerchantId
  readonly serviceId?: ConsumerId
}

/** The property that matched. A name matches by prefix, any other property only in full. */
export type MatchedBy = "id" | "code" | "reference" | "email" | "name"

export interface SearchHit {
  readonly id: string
  readonly by: MatchedBy
  readonly at: DateTime.Utc
  readonly merchantId?: MerchantId
  /** Absent if the record concerns no person, or an erased person. */
  readonly serviceId?: ConsumerId
  /** Name of the person or merchant. */
  readonly name?: Redacted.Redacted<string>
  readonly status?: string
  readonly amount?: Money
}

export const searchedKinds = ["merchant", "person", "payment", "refund"] as const
export type SearchedKind = (typeof searchedKinds)[number]

/**
 * Hits of one kind, newest first, except that hits matched by name come last. If more than `SearchBounds.countTo`
 * records match, the newest may be missing.
 */
export interface SearchGroup {
  readonly kind: SearchedKind
  readonly hits: ReadonlyArray<SearchHit>
  /** Number of hits, counted up to `SearchBounds.countTo`. */
  readonly count: number
}

export interface SearchBounds {
  /** Maximum number of hits returned per kind. */
  readonly limit: number
  /** Limit up to which a kind's hits are counted. */
  readonly countTo: number
}

/** Finds records for the console's search, by complete id or by search terms. */
export class SearchIndex extends Context.Service<
  SearchIndex,
  {
    /** Locates the record with a complete id, in either environment. `None` if no record has that id. */
    readonly place: (id: PlacedId) => Effect.Effect<Option.Option<RecordPlace>, StoreError>

    /**
     * Finds the environment's hits for the terms, grouped by kind in the order of `searchedKinds`. Merchants are found
     * in either environment. Kinds without hits are omitted, and erased people are not found. One matching property
     * suffices:
     *
     * - Merchants match by the host's id, business code or name prefix.
     * - People match by service id, user id, external id, complete e-mail address or name prefix.
     * - Payments match by id or reference.
     * - Refunds match by the payment's reference or the merchant's own reference.
     */
    readonly find: (
      environment: Environment,
      terms: SearchTerms,
      bounds: SearchBounds
    ) => Effect.Effect<ReadonlyArray<SearchGroup>, StoreError>
  }
>()("@surety/core/search/SearchIndex") {}
