import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { ApiKey, ApiKeyHash } from "./ApiKey.js"
import type { MerchantStatus } from "./Merchant.js"

export type IssueOutcome =
  | { readonly _tag: "Issued" }
  | { readonly _tag: "MerchantMissing" }
  | { readonly _tag: "StatusForbids"; readonly status: MerchantStatus }

/** A key, and the parts of its merchant that a request needs. */
export interface KeyHolder {
  readonly key: ApiKey
  readonly merchantName: string
  readonly status: MerchantStatus
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** Stores the key only while the merchant's status is one of `statuses`, checked in the commit that stores it. */
    readonly issue: (key: ApiKey, statuses: ReadonlyArray<MerchantStatus>) => Effect.Effect<IssueOutcome, StoreError>

    /** Also finds revoked keys. */
    readonly findByHash: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>

    /** Newest first, revoked ones too. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<ApiKey>, StoreError>

    /** False if the merchant has no such key. A second revocation keeps the first time. */
    readonly revoke: (merchantId: MerchantId, id: ApiKeyId, at: DateTime.Utc) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/merchant/ApiKeyStore") {}
