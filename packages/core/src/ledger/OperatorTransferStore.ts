import { Context, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { Fingerprint } from "../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorTransfer } from "./OperatorTransfer.js"

/** A transfer to post, with its key in its environment. */
export interface OperatorTransferPlan {
  readonly posted: OperatorTransfer
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  /**
   * Set if the wallet's parts are in several stores, and the caller has checked the whole balance and prevents
   * concurrent debits. This store then checks no balance of the wallet.
   */
  readonly isCovered?: true
}

/** A posted transfer, with the fingerprint of the input that its key was used with. */
export interface KeyedTransfer {
  readonly posted: OperatorTransfer
  readonly fingerprint: Fingerprint
}

/** `Existing`: the key has been used, for this. `Insufficient`: the account would fall below zero. */
export type PostOutcome =
  | { readonly _tag: "Posted" }
  | ({ readonly _tag: "Existing" } & KeyedTransfer)
  | { readonly _tag: "Insufficient"; readonly balanceMinor: bigint }

export class OperatorTransferStore extends Context.Service<
  OperatorTransferStore,
  {
    /**
     * Stores the operator's transfer, its movement (`transferOf`) and both balances, all or nothing. Only an `EXTERNAL`
     * account may fall below zero; the commit checks the balance, under any concurrency. A wallet's is the sum of its
     * parts, whichever books they are in; of a plan that `isCovered` no wallet's balance is checked. A key of an environment is used once: later calls with it store nothing and
     * return the first one's transfer.
     */
    readonly post: (plan: OperatorTransferPlan) => Effect.Effect<PostOutcome, StoreError>

    /** The transfer that a key of an environment was used for. */
    readonly find: (
      environment: Environment,
      idempotencyKey: IdempotencyKey
    ) => Effect.Effect<Option.Option<KeyedTransfer>, StoreError>
  }
>()("@surety/core/ledger/OperatorTransferStore") {}
