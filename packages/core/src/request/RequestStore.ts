import { Context, type DateTime, Duration, type Effect } from "effect"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { RequestEntry } from "./RequestEntry.js"

/** Minimum step by which a key's `lastUsedAt` advances. */
export const lastUseStep = Duration.minutes(1)

/** Selects entries. Undefined fields do not filter. */
export interface RequestFilter {
  readonly status: number | undefined
  readonly route: string | undefined
}

/** The request log of all merchants. */
export class RequestStore extends Context.Service<
  RequestStore,
  {
    /**
     * Stores entries in the given order. Sets each API key's `lastUsedAt` to the latest `at` of its entries, if unset
     * or at least `lastUseStep` earlier. May skip keys that another transaction has locked.
     */
    readonly append: (entries: ReadonlyArray<RequestEntry>) => Effect.Effect<void, StoreError>

    /** Lists the merchant's entries in one environment, most recently stored first. */
    readonly list: (
      scope: MerchantScope,
      filter: RequestFilter,
      page: PageRequest
    ) => Effect.Effect<Page<RequestEntry>, StoreError>

    /** Deletes at most `limit` entries of requests answered before `before`. Returns how many it deleted. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/request/RequestStore") {}
