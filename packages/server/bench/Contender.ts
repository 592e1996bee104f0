import type { Effect } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import type { BenchMerchant, Fixture, MadeRefund, SystemName } from "./load/LoadJob.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** A measured server, with what is needed to load and check it. */
export interface Contender extends ServerProcess {
  readonly name: SystemName
  readonly databaseUrl: string
  readonly fixture: Fixture
  /** All refunds in its database. */
  readonly refunds: Effect.Effect<ReadonlyArray<MadeRefund>, BenchFailed>
  /** Contradictions in its database; empty if the ledger balances. */
  readonly faults: Effect.Effect<ReadonlyArray<string>, BenchFailed>
}

/** Seeded records. The last merchant's payments serve the guarantees. */
export const seedSize = {
  consumers: 4096,
  onePayments: 4096,
  manyMerchants: 64,
  manyPayments: 64,
  probePayments: 64
} as const

/** Both servers' connection pool: Surety's default. */
export const poolSize = 16

/** The number of payments of each merchant. */
export const paymentsOfMerchants: ReadonlyArray<number> = [
  seedSize.onePayments,
  ...Array.from({ length: seedSize.manyMerchants }, () => seedSize.manyPayments),
  seedSize.probePayments
]

/** The seeded merchants by role, from the order of `paymentsOfMerchants`. */
export const toFixture = (merchants: ReadonlyArray<BenchMerchant>): Fixture => ({
  one: merchants.slice(0, 1),
  many: merchants.slice(1, -1),
  probes: merchants.slice(-1)
})
