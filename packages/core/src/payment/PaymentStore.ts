import { Context, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { PaymentId } from "../Ids.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Payment } from "./Payment.js"

/** A payment and all that its being recorded, or its settling, brings about. */
export interface PaymentPlan {
  readonly payment: Payment
  /** In order. The accounts that they name are opened where they are not there yet. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly event: DomainEvent | undefined
}

export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /**
     * Stores the payment, its transfers and its event: all or nothing. Answers which field is taken, and stores nothing,
     * when the id or the reference belongs to another payment of the merchant and environment.
     */
    readonly record: (plan: PaymentPlan) => Effect.Effect<"recorded" | "id_taken" | "reference_taken", StoreError>

    /**
     * Moves a pending payment to settled with its transfers and its event: all or nothing. Answers false, and stores
     * nothing, when the payment is no longer pending: of any number at once exactly one wins.
     */
    readonly settle: (plan: PaymentPlan) => Effect.Effect<boolean, StoreError>

    readonly find: (scope: MerchantScope, id: PaymentId) => Effect.Effect<Option.Option<Payment>, StoreError>

    /** Operator's list, newest first. */
    readonly list: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Payment>, StoreError>
  }
>()("@surety/core/payment/PaymentStore") {}
