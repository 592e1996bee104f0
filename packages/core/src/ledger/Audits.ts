import { Context, DateTime, Duration, Effect, Layer, type Option } from "effect"
import { type ChainReport, Receipts } from "../consent/receipt/Receipts.js"
import { Environment } from "../Environment.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import type { StoreError } from "../StoreError.js"
import type { AuditRun } from "./AuditRun.js"
import { AuditRunStore } from "./AuditRunStore.js"
import { Ledger, type LedgerFault, ledgerChecks, type TrialBalanceLine } from "./Ledger.js"

/** A merchant's chain of receipts in an environment, and what following it found. */
export interface ChainAudit {
  readonly scope: MerchantScope
  readonly report: ChainReport
}

/** A run with all that it found. */
export interface AuditReport {
  readonly run: AuditRun
  readonly lines: ReadonlyArray<TrialBalanceLine>
  /** At most 100. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** Chains that have a receipt, or a fault. */
  readonly chains: ReadonlyArray<ChainAudit>
}

/** Whether debits and credits of a line are equal. */
export const isBalanced = ({ creditsMinor, debitsMinor }: TrialBalanceLine): boolean => creditsMinor === debitsMinor

/** Checks that redundant records agree, as `surety verify` does (contract 15), and keeps what each run came to. */
export class Audits extends Context.Service<
  Audits,
  {
    /** Reads all of the books and follows every chain of receipts, then keeps the run. Takes minutes on large books. */
    readonly run: (by: string) => Effect.Effect<AuditReport, StoreError>

    /** The run that ended last; none before the first. */
    readonly last: Effect.Effect<Option.Option<AuditRun>, StoreError>
  }
>()("@surety/core/ledger/Audits") {}

const readAtOnce = 100

export const layer: Layer.Layer<Audits, never, AuditRunStore | Ledger | MerchantStore | Receipts> = Layer.effect(
  Audits,
  Effect.gen(function* () {
    const store = yield* AuditRunStore
    const ledger = yield* Ledger
    const merchants = yield* MerchantStore
    const receipts = yield* Receipts

    const followChains = Effect.gen(function* () {
      const chains: Array<ChainAudit> = []
      let cursor: string | undefined
      do {
        const page = yield* merchants.list({ limit: readAtOnce, cursor })
        for (const { id: merchantId } of page.data) {
          for (const environment of Environment.literals) {
            const scope = { merchantId, environment }
            const report = yield* receipts.verifyChain(scope)
            if (report.receipts > 0 || report.faults.length > 0) chains.push({ scope, report })
          }
        }
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return chains
    })

    const run = Effect.fn("Audits.run")(function* (by: string) {
      const begun = yield* DateTime.now
      const lines = yield* ledger.trialBalance
      const faults = yield* ledger.audit
      const chains = yield* followChains
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
      yield* store.record(made)
      return { run: made, lines, faults, chains }
    })

    return Audits.of({ run, last: store.last })
  })
)
