import { Context, type Effect, type Option } from "effect"
import type { Currency } from "../Currency.js"
import type { Environment } from "../Environment.js"
import type { MerchantId, TransferId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Account, AccountKey } from "./Account.js"
import type { Posting } from "./Posting.js"
import type { Transfer } from "./Transfer.js"

/**
 * Total debits and total credits of all postings in an environment and currency, in minor units. The two totals are
 * equal in a sound ledger.
 */
export interface TrialBalanceLine {
  readonly environment: Environment
  readonly currency: Currency
  readonly debitsMinor: bigint
  readonly creditsMinor: bigint
}

/** One line of an account's statement. */
export interface AccountPosting {
  readonly side: Posting["side"]
  /** The complete transfer, with the counterparty's account on its other side. */
  readonly transfer: Transfer
}

/** Kinds of checks made by `audit`. */
export const ledgerChecks = [
  "balances_equal_postings",
  "refunded_equals_refunds",
  "transfers_have_causes",
  "events_have_causes",
  "events_in_order",
  "consents_have_receipts",
  "verifications_have_receipts",
  "grants_have_requests"
] as const

/** A contradiction between records, which makes `surety verify` fail. */
export interface LedgerFault {
  readonly check: (typeof ledgerChecks)[number]
  readonly subject: string
  readonly detail: string
}

/** Result of `auditNext`. */
export interface AuditStep {
  /** Faults found in this step. If there are many, only some of them. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** Number of transfers verified so far, including this step. */
  readonly transfers: bigint
  /**
   * True if the step starts from the beginning: with `afresh`, or if nothing in this database was verified before. A
   * copy of a verified database also starts over.
   */
  readonly isFirst: boolean
  /** True if the run needs no further step. */
  readonly isLast: boolean
}

/** Result of one step of `auditMerchant`. */
export interface MerchantAuditStep {
  /** Faults found in this step. If there are many, only some of them. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** Number of the merchant's records compared in this step only. */
  readonly records: number
  /** Place at which the next step begins. Undefined after the last step. */
  readonly next: string | undefined
}

/** Reads and audits the ledger. Transfers are written only by the operations that cause them. */
export class Ledger extends Context.Service<
  Ledger,
  {
    /**
     * Lists accounts with the sums of their parts, most recently opened first. With several cells, this order holds
     * within each cell.
     */
    readonly balances: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Account>, StoreError>

    /** Returns the account's balance over all parts, in minor units. `None` if no part is open. */
    readonly balance: (account: AccountKey) => Effect.Effect<Option.Option<bigint>, StoreError>

    /** Lists the postings of all parts of the account, newest first. Empty if no part is open. */
    readonly postings: (account: AccountKey, page: PageRequest) => Effect.Effect<Page<AccountPosting>, StoreError>

    /** Finds a transfer of this environment by its id. */
    readonly transfer: (environment: Environment, id: TransferId) => Effect.Effect<Option.Option<Transfer>, StoreError>

    /**
     * Returns the totals of all postings, without reading stored balances. For verified transfers, uses the totals
     * computed by `auditNext`.
     */
    readonly trialBalance: Effect.Effect<ReadonlyArray<TrialBalanceLine>, StoreError>

    /**
     * Compares redundant records, and returns the faults, or only some of them if there are many. The comparisons are:
     *
     * - balances with their postings
     * - refunded totals with refunds
     * - payments, refunds and operator transfers with their transfers, and these with the accounts that they concern
     * - completed and failed refunds with their event
     * - grants, their ends, and denied or expired data requests with their events and receipts
     * - data requests approved by a decision with their event and their grant
     * - grants with the approved requests that they result from
     * - verifications with their receipts, and ended ones with their event
     * - events with their cause, except for tests, disabled endpoints and changed personal data
     * - each merchant's last event per environment with the position of the next event, which must be later
     */
    readonly audit: Effect.Effect<ReadonlyArray<LedgerFault>, StoreError>

    /**
     * Checks the next commits after the verified point, where earlier steps ended. Then moves the point past those
     * commits. Each step is committed separately, so an interrupted run resumes from the point. Makes the comparisons
     * of `audit` for the payments, refunds, operator transfers, events and balances that the checked commits concern.
     * Also checks consent and KYC records that are recent or belong to those events. A fault is reported again until it
     * is repaired.
     *
     * The cost grows with the commits since the last run, not with the size of the store. `afresh` resets the point
     * before the step. If the connection may not move the point, one step checks everything after it, or nothing if
     * `isFirst`.
     */
    readonly auditNext: (afresh: boolean) => Effect.Effect<AuditStep, StoreError>

    /**
     * Makes the comparisons of `audit` for the records of one merchant, step by step. `place` is undefined for the
     * first step, and the previous step's `next` for any other. Each step compares only this merchant's records, up to
     * a bounded number. It also compares records that earlier runs verified, and does not move the verified point.
     * `None` if `place` is malformed, or belongs to another merchant, version or cell.
     */
    readonly auditMerchant: (
      merchantId: MerchantId,
      place: string | undefined
    ) => Effect.Effect<Option.Option<MerchantAuditStep>, StoreError>
  }
>()("@surety/core/ledger/Ledger") {}
