import { Context, DateTime, Duration, Effect, Layer, Option, Ref, Schema } from "effect"
import { type ChainReport, Receipts } from "../consent/receipt/Receipts.js"
import { Environment } from "../Environment.js"
import { MerchantId } from "../Ids.js"
import { innermostMessage } from "../innermostMessage.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import type { StoreError } from "../StoreError.js"
import type { AuditRun } from "./AuditRun.js"
import { AuditRunStore } from "./AuditRunStore.js"
import { Ledger, type LedgerFault, ledgerChecks, type MerchantAuditStep, type TrialBalanceLine } from "./Ledger.js"

/** A merchant's receipt chain in an environment, with the chain's report. */
export interface ChainAudit {
  readonly scope: MerchantScope
  readonly report: ChainReport
}

/** A run with its findings. */
export interface AuditReport {
  readonly run: AuditRun
  readonly lines: ReadonlyArray<TrialBalanceLine>
  /** At most 100, without duplicates. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** True if the run read every record. False if it skipped records that earlier runs verified. */
  readonly isWhole: boolean
  /** Chains that have receipts or faults. */
  readonly chains: ReadonlyArray<ChainAudit>
}

/** Findings of an audit of one merchant. */
export interface MerchantAudit {
  /** At most 100, without duplicates. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** Chains that have receipts or faults. */
  readonly chains: ReadonlyArray<ChainAudit>
  /** Number of the merchant's records that this call compared, not counting receipts. */
  readonly records: number
}

/** The starting place of an audit of one merchant, and an observer of its progress. */
export interface MerchantAuditScope {
  /** The `next` of a step of an earlier audit of the same merchant. Default: the beginning. */
  readonly from?: string
  /** Runs after each step, with its faults and its `next`. Here, `records` counts all records compared so far. */
  readonly onStep?: (step: MerchantAuditStep) => Effect.Effect<void>
}

/** The place to continue from is malformed, or belongs to an audit of another merchant, version or cell. */
export class AuditPlaceUnknown extends Schema.TaggedError<AuditPlaceUnknown>(
  "@surety/core/ledger/Audits/AuditPlaceUnknown"
)("AuditPlaceUnknown", { merchantId: MerchantId }) {
  override get message(): string {
    return `The place does not belong to an audit of ${this.merchantId} by this version. Begin the audit again.`
  }
}

/** The extent of a run, and an observer of its progress. */
export interface AuditScope {
  /** Reads everything, including what earlier runs verified. Default: false. */
  readonly full?: boolean
  /**
   * Number of verified transfers up to which a run reads everything. Above it, a run skips records that earlier runs
   * verified. A run with `full`, or the first one, still reads everything. Default: unlimited.
   */
  readonly wholeUpTo?: bigint
  /** Runs after each step, with the number of transfers verified so far. */
  readonly onStep?: (transfers: bigint) => Effect.Effect<void>
}

export const isBalanced = ({ creditsMinor, debitsMinor }: TrialBalanceLine): boolean => creditsMinor === debitsMinor

/** Checks that the records agree, as `surety verify` does (contract 15). */
export class Audits extends Context.Service<
  Audits,
  {
    /**
     * Reads the books, in full unless the scope limits the run, and follows every chain of receipts. Then stores the
     * run. If the run cannot be stored, for example in a read-only copy, logs a warning and still returns the report.
     * Takes minutes on large books. Each step of `Ledger.auditNext` is committed separately. After an interruption, the
     * next run therefore continues after the last committed step, unless it is `full`.
     */
    readonly run: (by: string, scope?: AuditScope) => Effect.Effect<AuditReport, StoreError>

    /**
     * Compares the records of one merchant, starting at `from`, and follows its chains of receipts from their
     * beginning. Compares only this merchant's records, a bounded number at a time. The result is not stored, since a
     * stored run covers all merchants. `None` if the merchant is unknown.
     *
     * An audit that resumes at `from` does not return the faults of earlier steps. `onStep` receives the faults of each
     * step.
     */
    readonly ofMerchant: (
      merchantId: MerchantId,
      scope?: MerchantAuditScope
    ) => Effect.Effect<Option.Option<MerchantAudit>, AuditPlaceUnknown | StoreError>

    /**
     * Starts a run in the background and returns true immediately. Returns false if a run started by `start` is in
     * progress in this process. With more than 100,000 verified transfers, the run skips records that earlier runs
     * verified. Do not call it inside a commit, since the run outlives the commit.
     */
    readonly start: (by: string) => Effect.Effect<boolean>

    /** Returns the start time of the background run in progress. `None` if this process is not running one. */
    readonly running: Effect.Effect<Option.Option<DateTime.Utc>>

    /** Returns the stored run that ended last. `None` if no run is stored. */
    readonly last: Effect.Effect<Option.Option<AuditRun>, StoreError>
  }
>()("@surety/core/ledger/Audits") {}

const readAtOnce = 100

const maxFaults = 100

/** Maximum number of retries of a step. After a failed step of `auditNext`, the store makes the next step smaller. */
const retries = 3

/**
 * Number of verified transfers above which a background run skips records that earlier runs verified. For
 * `surety verify`, this number is a setting.
 */
const wholeInBackground = 100_000n

/** Removes duplicates, such as a fault found by both a step and the full check. Returns at most 100 faults. */
const distinct = (faults: ReadonlyArray<LedgerFault>): ReadonlyArray<LedgerFault> => {
  const found = new Map<string, LedgerFault>()
  for (const fault of faults) found.set(`${fault.check} ${fault.subject} ${fault.detail}`, fault)
  return [...found.values()].slice(0, maxFaults)
}

const retried = <A>(step: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
  Effect.retry(step, { times: retries, while: ({ isRetryable }) => isRetryable })

export const layer: Layer.Layer<Audits, never, AuditRunStore | Ledger | MerchantStore | Receipts> = Layer.effect(
  Audits,
  Effect.gen(function* () {
    const store = yield* AuditRunStore
    const ledger = yield* Ledger
    const merchants = yield* MerchantStore
    const receipts = yield* Receipts
    const scope = yield* Effect.scope

    const followChainsOf = Effect.fnUntraced(function* (merchantId: MerchantId, afresh: boolean) {
      const chains: Array<ChainAudit> = []
      for (const environment of Environment.literals) {
        const scope = { merchantId, environment }
        const report = yield* receipts.verifyNext(scope, afresh)
        if (report.receipts > 0 || report.faults.length > 0) chains.push({ scope, report })
      }
      return chains
    })

    const followChains = Effect.fnUntraced(function* (afresh: boolean) {
      const chains: Array<ChainAudit> = []
      let cursor: string | undefined
      do {
        const page = yield* merchants.list({ limit: readAtOnce, cursor })
        for (const { id } of page.data) chains.push(...(yield* followChainsOf(id, afresh)))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return chains
    })

    const ofMerchant = Effect.fn("Audits.ofMerchant")(function* (
      merchantId: MerchantId,
      { from, onStep = () => Effect.void }: MerchantAuditScope = {}
    ) {
      if (Option.isNone(yield* merchants.find(merchantId))) return Option.none()
      let faults: ReadonlyArray<LedgerFault> = []
      let records = 0
      let place = from
      do {
        const found = yield* retried(ledger.auditMerchant(merchantId, place))
        if (Option.isNone(found)) return yield* new AuditPlaceUnknown({ merchantId })
        const step = found.value
        faults = distinct([...faults, ...step.faults])
        records += step.records
        place = step.next
        yield* onStep({ ...step, records })
      } while (place !== undefined)
      return Option.some({ faults, chains: yield* followChainsOf(merchantId, true), records })
    })

    const nextStep = (afresh: boolean) => retried(ledger.auditNext(afresh))

    const auditNew = Effect.fnUntraced(function* ({ full = false, onStep = () => Effect.void }: AuditScope) {
      const faults: Array<LedgerFault> = []
      let step = yield* nextStep(full)
      let isFirst = step.isFirst
      faults.push(...step.faults)
      yield* onStep(step.transfers)
      while (!step.isLast) {
        step = yield* nextStep(false)
        isFirst ||= step.isFirst
        faults.push(...step.faults)
        yield* onStep(step.transfers)
      }
      return { faults, isFirst, transfers: step.transfers }
    })

    const run = Effect.fn("Audits.run")(function* (by: string, scope: AuditScope = {}) {
      const begun = yield* DateTime.now
      const recent = yield* auditNew(scope)
      const isWhole =
        scope.full === true || recent.isFirst || scope.wholeUpTo === undefined || recent.transfers <= scope.wholeUpTo
      const faults = distinct([...recent.faults, ...(isWhole ? yield* ledger.audit : [])])
      const lines = yield* ledger.trialBalance
      const chains = yield* followChains(isWhole)
      const at = yield* DateTime.now
      const made: AuditRun = {
        at,
        durationMillis: Math.round(Duration.toMillis(DateTime.distance(begun, at))),
        by,
        chains: chains.length,
        checks: [
          { check: "ledger_balanced", faults: lines.filter((line) => !isBalanced(line)).length },
          ...ledgerChecks.map((check) => ({ check, faults: faults.filter((fault) => fault.check === check).length })),
          {
            check: "receipt_chains_unbroken",
            faults: chains.reduce((sum, { report }) => sum + report.faults.length, 0)
          }
        ]
      }
      // The result is returned even if it cannot be stored, so a read-only copy can be audited too.
      yield* Effect.catch(store.record(made), (error) =>
        Effect.logWarning("Audit run not stored", innermostMessage(error))
      )
      return { run: made, lines, faults, isWhole, chains }
    })

    const running = yield* Ref.make(Option.none<DateTime.Utc>())

    const start = Effect.fn("Audits.start")(function* (by: string) {
      const now = yield* DateTime.now
      const isFree = yield* Ref.modify(running, (since) =>
        Option.isNone(since) ? [true, Option.some(now)] : [false, since]
      )
      if (!isFree) return false
      yield* run(by, { wholeUpTo: wholeInBackground }).pipe(
        Effect.catchCause((cause) => Effect.logError("Audit did not finish", cause)),
        Effect.ensuring(Ref.set(running, Option.none())),
        Effect.forkIn(scope)
      )
      return true
    })

    return Audits.of({ run, ofMerchant, start, running: Ref.get(running), last: store.last })
  })
)
