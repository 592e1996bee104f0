import type { Effect } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import type { BenchMerchant, Fixture, MadeRefund, SystemName } from "./load/LoadJob.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** A server that is measured, with what it needs to be asked and to be checked. */
export interface Contender extends ServerProcess {
  readonly name: SystemName
  readonly databaseUrl: string
  readonly fixture: Fixture
  /** Every refund in its database. */
  readonly refunds: Effect.Effect<ReadonlyArray<MadeRefund>, BenchFailed>
  /** What in its database contradicts itself; none where its books are sound. */
  readonly faults: Effect.Effect<ReadonlyArray<string>, BenchFailed>
}

/** How much there is to refund. The last merchant's payments are for the questions that come before the measuring. */
export const seedSize = {
  consumers: 4096,
  onePayments: 4096,
  manyMerchants: 64,
  manyPayments: 64,
  probePayments: 64
} as const

/** The pool of both servers: Surety's default. */
export const poolSize = 16

/** Which merchants a run has, by the payments of each. */
export const paymentsOfMerchants: ReadonlyArray<number> = [
  seedSize.onePayments,
  ...Array.from({ length: seedSize.manyMerchants }, () => seedSize.manyPayments),
  seedSize.probePayments
]

/** The seeded merchants, in the order of `paymentsOfMerchants`, by what they are for. */
export const toFixture = (merchants: ReadonlyArray<BenchMerchant>): Fixture => ({
  one: merchants.slice(0, 1),
  many: merchants.slice(1, -1),
  probes: merchants.slice(-1)
})
