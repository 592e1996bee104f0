import { Context, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { PaymentId } from "../Ids.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Payment } from "./Payment.js"

/** A payment, with the transfers and event of recording or settling it. */
export interface PaymentPlan {
  readonly payment: Payment
  /** In order. Missing accounts are opened. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly event: DomainEvent | undefined
  /** Set if the payment is paid from what the wallet holds: the plan commits only if that is enough. */
  readonly fromBalance?: true
}

export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /**
     * Stores the payment, its transfers and its event, all or nothing. If another payment of the merchant and
     * environment has the id or the reference, returns that field and stores nothing. Nor does it store anything if the
     * person is missing, as after an erasure in between.
     *
     * A plan `fromBalance` commits only if the wallet holds the amount, summed over all books: under any concurrency such
     * payments, at whichever merchants, never overdraw a wallet.
     */
    readonly record: (
      plan: PaymentPlan
    ) => Effect.Effect<"recorded" | "id_taken" | "reference_taken" | "balance_too_small" | "person_unknown", StoreError>

    /**
     * Moves a pending payment to settled with its transfers and its event, all or nothing. Returns false and stores
     * nothing if the payment is no longer pending: of concurrent calls exactly one wins.
     */
    readonly settle: (plan: PaymentPlan) => Effect.Effect<boolean, StoreError>

    readonly find: (scope: MerchantScope, id: PaymentId) => Effect.Effect<Option.Option<Payment>, StoreError>

    /** Operator's list, newest first. */
    readonly list: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Payment>, StoreError>
  }
>()("@surety/core/payment/PaymentStore") {}
