export interface BenchMerchant {
  readonly id: string
  readonly apiKey: string
  /** Ids of settled wallet payments of `paymentMinor` each. */
  readonly paymentIds: ReadonlyArray<string>
}

/** Amount of every seeded payment, in minor units. The measured refunds take only a small part of it. */
export const paymentMinor = 100_000_000

/**
 * Seeded merchants by role. All refunds of `one` share a settlement account. Refunds of `many` are spread over the
 * merchants' accounts.
 */
export interface Fixture {
  readonly one: ReadonlyArray<BenchMerchant>
  readonly many: ReadonlyArray<BenchMerchant>
  /** Merchants for checking the guarantees before measuring. */
  readonly probes: ReadonlyArray<BenchMerchant>
}

/**
 * `peer` is a hand-written server with Surety's guarantees. `simple` is the peer without balances, transfers and
 * deliveries.
 */
export type SystemName = "surety" | "peer" | "simple"

export interface HttpTarget {
  readonly kind: "whoami" | "refunds"
  readonly system: SystemName
  readonly origin: string
  readonly merchants: ReadonlyArray<BenchMerchant>
}

/** The bare database, to which the load sends the peer's statements directly. */
export interface SqlTarget {
  readonly kind: "sql"
  readonly system: SystemName
  readonly databaseUrl: string
  readonly merchants: ReadonlyArray<BenchMerchant>
}

/** One round of load. Each connection sends its next request after the previous response has arrived. */
export interface LoadJob<Target = HttpTarget | SqlTarget> {
  readonly target: Target
  readonly connections: number
  readonly seconds: number
  readonly seed: number
  /** Prefix of the job's idempotency keys, unique per job. */
  readonly name: string
}

/** A refund that a server acknowledged or stored. */
export interface MadeRefund {
  readonly refundId: string
  readonly merchantId: string
  readonly paymentId: string
  readonly idempotencyKey: string
  readonly amountMinor: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly maxMillis: number
  readonly refunds: ReadonlyArray<MadeRefund>
}
