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
     * Stores a new merchant, its first status and the event, all or nothing. False if its business code or its external
     * id is taken.
     */
    readonly insert: (
      merchant: Merchant,
      change: MerchantStatusChange,
      event?: PlatformEvent
    ) => Effect.Effect<boolean, StoreError>

    readonly find: (id: MerchantId) => Effect.Effect<Option.Option<Merchant>, StoreError>

    readonly findByExternalId: (externalId: string) => Effect.Effect<Option.Option<Merchant>, StoreError>

    /**
     * Moves the merchant to `change.to` and records the change and the event, all or nothing, only if its status still
     * is `change.from`. Returns whether it did. Of concurrent changes exactly one wins.
     */
    readonly transition: (change: MerchantStatusChange, event?: PlatformEvent) => Effect.Effect<boolean, StoreError>

    /** False if the merchant does not exist. */
    readonly saveSettings: (
      id: MerchantId,
      settings: MerchantSettings,
      at: DateTime.Utc
    ) => Effect.Effect<boolean, StoreError>

    /** Oldest first. */
    readonly history: (id: MerchantId) => Effect.Effect<ReadonlyArray<MerchantStatusChange>, StoreError>

    /** Operator's list, newest first. Only those of one status if `status` is given. */
    readonly list: (page: PageRequest, status?: MerchantStatus) => Effect.Effect<Page<Merchant>, StoreError>
  }
>()("@surety/core/merchant/MerchantStore") {}
