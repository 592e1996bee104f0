import { Context, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { Fingerprint } from "../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorTransfer } from "./OperatorTransfer.js"

/** A transfer to post, with its idempotency key, which is unique in an environment. */
export interface OperatorTransferPlan {
  readonly posted: OperatorTransfer
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  /**
   * Set if the caller has checked that the wallet's total balance over all stores covers the transfer, and prevents
   * concurrent debits. The store then does not check the wallet's balance.
   */
  readonly isCovered?: true
}

/** A posted transfer, with the fingerprint of the input that was sent with its key. */
export interface KeyedTransfer {
  readonly posted: OperatorTransfer
  readonly fingerprint: Fingerprint
}

/**
 * The result of `post`. `Existing`: the key was already used for the returned transfer. `Insufficient`: the account
 * would fall below zero.
 */
export type PostOutcome =
  | { readonly _tag: "Posted" }
  | ({ readonly _tag: "Existing" } & KeyedTransfer)
  | { readonly _tag: "Insufficient"; readonly balanceMinor: bigint }

export class OperatorTransferStore extends Context.Service<
  OperatorTransferStore,
  {
    /**
     * Stores the operator's transfer, its ledger transfer (`transferOf`) and both balances atomically. Under any
     * concurrency, the transfer takes no account below zero, except `EXTERNAL`. A wallet's balance is the sum of its
     * parts in all books, and is not checked if the plan `isCovered`.
     *
     * A key can be used once in an environment. Later calls with the key store nothing and return the first transfer.
     */
    readonly post: (plan: OperatorTransferPlan) => Effect.Effect<PostOutcome, StoreError>

    /** Finds the transfer posted under a key in this environment. */
    readonly find: (
      environment: Environment,
      idempotencyKey: IdempotencyKey
    ) => Effect.Effect<Option.Option<KeyedTransfer>, StoreError>
  }
>()("@surety/core/ledger/OperatorTransferStore") {}
