import { Context, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { Environment } from "../Environment.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Account } from "./Account.js"

/** The sums of all postings of a currency, in minor units. Equal where the ledger is sound. */
export interface TrialBalanceLine {
  readonly environment: Environment
  readonly currency: Currency
  readonly debitsMinor: bigint
  readonly creditsMinor: bigint
}

/** A fact that must never be. Empty lists are what `surety verify` exits with success on. */
export interface LedgerFault {
  readonly check:
    | "balances_equal_postings"
    | "refunded_equals_refunds"
    | "transfers_have_causes"
    | "events_have_causes"
    | "events_in_order"
    | "consents_have_receipts"
    | "verifications_have_receipts"
    | "grants_have_requests"
  readonly subject: string
  readonly detail: string
}

/** Reading side of the ledger, for the operator. Transfers are written by the verbs that cause them, never alone. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly balances: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Account>, StoreError>

    /** Folds every posting anew; it does not read the stored balances. */
    readonly trialBalance: Effect.Effect<ReadonlyArray<TrialBalanceLine>, StoreError>

    /**
     * Compares what is stored twice: balances with the fold of their postings, payments' refunded totals with their
     * refunds, completed refunds with their transfer and event, grants and decided data requests with their events
     * and receipts, also of how a grant ended, verifications with their receipts, grants with the approved requests that
     * they came of, and every event with
     * what it tells of. At most 100 faults.
     */
    readonly audit: Effect.Effect<ReadonlyArray<LedgerFault>, StoreError>
  }
>()("@surety/core/ledger/Ledger") {}
