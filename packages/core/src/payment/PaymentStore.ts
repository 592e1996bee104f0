import { Context, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { PaymentId } from "../Ids.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Payment } from "./Payment.js"

/** A payment to record or settle, with the transfers and the event stored in the same commit. */
export interface PaymentPlan {
  readonly payment: Payment
  /** Transfers in posting order. Posting opens account parts that do not exist yet. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly event: DomainEvent | undefined
  /** Set if the payment is made from the wallet's balance. The plan commits only if the balance covers it. */
  readonly fromBalance?: true
}

export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /**
     * Stores the payment, its transfers and its event atomically. If another payment of the merchant and environment
     * has the id or reference, stores nothing and returns which of the two is taken. Also stores nothing if the person
     * does not exist, for example after a concurrent erasure.
     *
     * A plan with `fromBalance` commits only if the wallet's balance, summed over all books, covers the amount. Under
     * any concurrency and across merchants, such payments never overdraw a wallet.
     */
    readonly record: (
      plan: PaymentPlan
    ) => Effect.Effect<"recorded" | "id_taken" | "reference_taken" | "balance_too_small" | "person_unknown", StoreError>

    /**
     * Settles a pending payment with its transfers and event atomically. Returns false and stores nothing if the
     * payment is no longer pending. Exactly one of several concurrent calls returns true.
     */
    readonly settle: (plan: PaymentPlan) => Effect.Effect<boolean, StoreError>

    readonly find: (scope: MerchantScope, id: PaymentId) => Effect.Effect<Option.Option<Payment>, StoreError>

    /** Lists payments to all merchants, newest first. For the operator and the host. */
    readonly list: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Payment>, StoreError>
  }
>()("@surety/core/payment/PaymentStore") {}
