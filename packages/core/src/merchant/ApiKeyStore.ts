import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { ApiKey, ApiKeyHash } from "./ApiKey.js"
import type { MerchantStatus } from "./Merchant.js"

export type IssueOutcome =
  | { readonly _tag: "Issued" }
  | { readonly _tag: "MerchantMissing" }
  | { readonly _tag: "StatusForbids"; readonly status: MerchantStatus }

/** The replacement of one key by another. */
export interface KeyRotation {
  /** The new key, for the same merchant and environment. */
  readonly next: ApiKey
  readonly replaced: ApiKeyId
  /** When the replaced key expires, unless it already expires earlier. */
  readonly until: DateTime.Utc
}

/** `KeyMissing`: the merchant has no such key in the new key's environment, or the key is revoked. */
export type RotateOutcome = IssueOutcome | { readonly _tag: "KeyMissing" }

/** `key_unknown`: the merchant has no such key. `revoked_before`: the key keeps the time of the first revocation. */
export type RevokeOutcome = "revoked" | "revoked_before" | "key_unknown"

/** A key, and the properties of its merchant that a request needs. */
export interface KeyHolder {
  readonly key: ApiKey
  readonly merchantName: string
  readonly status: MerchantStatus
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** Stores the key if the merchant's status is one of `statuses`, checked in the same commit. */
    readonly issue: (key: ApiKey, statuses: ReadonlyArray<MerchantStatus>) => Effect.Effect<IssueOutcome, StoreError>

    /**
     * Stores the new key under the same conditions as `issue`, and limits the old key's lifetime, atomically. Does not
     * revoke the old key, and never extends its lifetime.
     */
    readonly rotate: (
      rotation: KeyRotation,
      statuses: ReadonlyArray<MerchantStatus>
    ) => Effect.Effect<RotateOutcome, StoreError>

    /** Finds a key by hash, including revoked and expired keys. */
    readonly findByHash: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>

    /** Lists the merchant's keys, newest first, including revoked and expired ones. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<ApiKey>, StoreError>

    /** Revokes a key. Idempotent: only one of several calls for a key returns `revoked`. */
    readonly revoke: (
      merchantId: MerchantId,
      id: ApiKeyId,
      at: DateTime.Utc
    ) => Effect.Effect<RevokeOutcome, StoreError>
  }
>()("@surety/core/merchant/ApiKeyStore") {}
