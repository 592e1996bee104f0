/** A merchant whose refunds are measured. */
export interface BenchMerchant {
  readonly id: string
  readonly apiKey: string
  /** Its settled wallet payments, of `paymentMinor` each. */
  readonly paymentIds: ReadonlyArray<string>
}

/** What every payment amounts to, in minor units: far more than a run refunds of it. */
export const paymentMinor = 100_000_000

/** Under which names the merchants of the two refund scenarios stand: all on one account, or spread over many. */
export interface Fixture {
  readonly one: ReadonlyArray<BenchMerchant>
  readonly many: ReadonlyArray<BenchMerchant>
  /** For the questions that come before the measuring. */
  readonly probes: ReadonlyArray<BenchMerchant>
}

/** Whose database holds the payments. */
export type SystemName = "surety" | "peer"

/** A server to ask. */
export interface HttpTarget {
  readonly kind: "whoami" | "refunds"
  readonly system: SystemName
  readonly origin: string
  readonly merchants: ReadonlyArray<BenchMerchant>
}

/** A database to send the peer's statements to, without a server. */
export interface SqlTarget {
  readonly kind: "sql"
  readonly system: SystemName
  readonly databaseUrl: string
  readonly merchants: ReadonlyArray<BenchMerchant>
}

/** A time of load: each connection sends its next request when the one before is answered. */
export interface LoadJob<Target = HttpTarget | SqlTarget> {
  readonly target: Target
  readonly connections: number
  readonly seconds: number
  readonly seed: number
  /** Begins every idempotency key of this job; another in every job. */
  readonly name: string
}

/** A refund that was answered 201. */
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
