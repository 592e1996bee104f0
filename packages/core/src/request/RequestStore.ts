import { Context, type DateTime, Duration, type Effect } from "effect"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { RequestEntry } from "./RequestEntry.js"

/** The resolution of a key's last use: it is written again only if it is at least this much later. */
export const lastUseStep = Duration.minutes(1)

/** Undefined fields do not filter. */
export interface RequestFilter {
  readonly status: number | undefined
  readonly route: string | undefined
}

/** The request log of all merchants. */
export class RequestStore extends Context.Service<
  RequestStore,
  {
    /**
     * Stores entries, in their order, and moves `lastUsedAt` of their keys to the latest `at` of each, if that is at
     * least `lastUseStep` later.
     */
    readonly append: (entries: ReadonlyArray<RequestEntry>) => Effect.Effect<void, StoreError>

    /** The merchant's entries of one environment, the last stored first. */
    readonly list: (
      scope: MerchantScope,
      filter: RequestFilter,
      page: PageRequest
    ) => Effect.Effect<Page<RequestEntry>, StoreError>

    /** Deletes about `limit` entries that were answered before `before`. Returns how many. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/request/RequestStore") {}
