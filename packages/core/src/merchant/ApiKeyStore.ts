import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { ApiKey, ApiKeyHash } from "./ApiKey.js"
import type { MerchantStatus } from "./Merchant.js"

export type IssueOutcome =
  | { readonly _tag: "Issued" }
  | { readonly _tag: "MerchantMissing" }
  | { readonly _tag: "StatusForbids"; readonly status: MerchantStatus }

/** The replacement of a key by another. */
export interface KeyRotation {
  /** The new key, of the same merchant and environment. */
  readonly next: ApiKey
  /** The key that it replaces. */
  readonly replaced: ApiKeyId
  /** When the replaced key expires, unless it does so earlier. */
  readonly until: DateTime.Utc
}

/** `KeyMissing`: the merchant has no such key in that environment, or it was revoked. */
export type RotateOutcome = IssueOutcome | { readonly _tag: "KeyMissing" }

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

    /**
     * Stores the new key, on the conditions of `issue`, and ends the old one, all or nothing. Revokes nothing, and never
     * makes the old key last longer.
     */
    readonly rotate: (
      rotation: KeyRotation,
      statuses: ReadonlyArray<MerchantStatus>
    ) => Effect.Effect<RotateOutcome, StoreError>

    /** Also finds revoked and expired keys. */
    readonly findByHash: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>

    /** Newest first, revoked and expired ones too. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<ApiKey>, StoreError>

    /** False if the merchant has no such key. A second revocation keeps the first time. */
    readonly revoke: (merchantId: MerchantId, id: ApiKeyId, at: DateTime.Utc) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/merchant/ApiKeyStore") {}
