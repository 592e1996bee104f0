import type { Effect } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import type { BenchMerchant, Fixture, MadeRefund, SystemName } from "./load/LoadJob.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** A measured server, with everything needed to load and check it. */
export interface Contender extends ServerProcess {
  readonly name: SystemName
  readonly databaseUrl: string
  readonly fixture: Fixture
  /** All refunds in the server's database. */
  readonly refunds: Effect.Effect<ReadonlyArray<MadeRefund>, BenchFailed>
  /** Inconsistencies that an audit of the server's database finds. */
  readonly faults: Effect.Effect<ReadonlyArray<string>, BenchFailed>
}

/**
 * Numbers of seeded records. Each of the `manyMerchants` has `manyPayments` payments. The last merchant has
 * `probePayments`, used to check the guarantees.
 */
export const seedSize = {
  consumers: 4096,
  onePayments: 4096,
  manyMerchants: 64,
  manyPayments: 64,
  probePayments: 64
} as const

/** Number of database connections of every measured server. It is Surety's default. */
export const poolSize = 16

export const paymentsOfMerchants: ReadonlyArray<number> = [
  seedSize.onePayments,
  ...Array.from({ length: seedSize.manyMerchants }, () => seedSize.manyPayments),
  seedSize.probePayments
]

/** Splits the seeded merchants by role. They must be in the order of `paymentsOfMerchants`. */
export const toFixture = (merchants: ReadonlyArray<BenchMerchant>): Fixture => ({
  one: merchants.slice(0, 1),
  many: merchants.slice(1, -1),
  probes: merchants.slice(-1)
})
