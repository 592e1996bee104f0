import { Context, type DateTime, type Effect, type Option } from "effect"
import type { PlatformEvent } from "../event/PlatformEvent.js"
import type { MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Merchant, MerchantSettings, MerchantStatus, MerchantStatusChange } from "./Merchant.js"

export class MerchantStore extends Context.Service<
  MerchantStore,
  {
    /**
     * Stores a new merchant, its first status change and the event, if given, atomically. Returns false if its business
     * code or external id is taken.
     */
    readonly insert: (
      merchant: Merchant,
      change: MerchantStatusChange,
      event?: PlatformEvent
    ) => Effect.Effect<boolean, StoreError>

    readonly find: (id: MerchantId) => Effect.Effect<Option.Option<Merchant>, StoreError>

    readonly findByExternalId: (externalId: string) => Effect.Effect<Option.Option<Merchant>, StoreError>

    /**
     * Changes the merchant's status to `change.to`, and stores the change and the event, if given, in the same commit.
     * Returns false if the merchant does not exist or its status is no longer `change.from`. Of several concurrent
     * changes from the same status, only one succeeds.
     */
    readonly transition: (change: MerchantStatusChange, event?: PlatformEvent) => Effect.Effect<boolean, StoreError>

    /**
     * Replaces a merchant's settings `change.from` with `change.to`, without overwriting a concurrent change. Returns
     * false if the merchant does not exist or its settings are no longer `change.from`.
     */
    readonly saveSettings: (
      id: MerchantId,
      change: { readonly from: MerchantSettings; readonly to: MerchantSettings },
      at: DateTime.Utc
    ) => Effect.Effect<boolean, StoreError>

    /** Returns the merchant's status changes, oldest first. */
    readonly history: (id: MerchantId) => Effect.Effect<ReadonlyArray<MerchantStatusChange>, StoreError>

    /** Lists merchants, newest first. If `status` is given, only those with that status. */
    readonly list: (page: PageRequest, status?: MerchantStatus) => Effect.Effect<Page<Merchant>, StoreError>
  }
>()("@surety/core/merchant/MerchantStore") {}
