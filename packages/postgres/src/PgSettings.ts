import { Context, Layer, Schema } from "effect"

/** The name of a PostgreSQL schema, in lower case so that quoting makes no difference. */
export const SchemaName = Schema.String.check(
  Schema.isPattern(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/u, {
    expected: "1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"
  })
)

/** Database settings of the stores. */
export interface PgSettings {
  /** The PostgreSQL schema of all our tables and functions, so that the host's are never touched. */
  readonly schema: string
  /**
   * Timeout of a verb, including the wait for a connection. After it the caller gets `StoreUnavailable`, but the
   * statement may still commit.
   */
  readonly operationTimeoutMillis: number
  /** Timeout for reads of the whole ledger: trial balance and audit. */
  readonly auditTimeoutMillis: number
  /** Retries of a transaction that the server aborted (deadlock, serialization failure). */
  readonly conflictRetries: number
  /** Largest batch of refunds. */
  readonly refundBatchSize: number
  /** Maximum batches in flight. Refunds that arrive while all are busy wait for the next batch. */
  readonly refundBatchesAtOnce: number
  /**
   * How long a batch waits for an account locked by another transaction, such as a host's. After that its refunds are
   * committed one by one, so that other merchants' refunds do not wait.
   */
  readonly refundLockTimeoutMillis: number
  /** Maximum refunds in flight outside batches: those with a stale snapshot, and those waiting for a lock. */
  readonly refundsAloneAtOnce: number
  /** Largest batch of recorded attempts. */
  readonly attemptBatchSize: number
  /** Largest batch of test events. */
  readonly testEventBatchSize: number
}

export const defaultPgSettings: PgSettings = {
  schema: "surety",
  operationTimeoutMillis: 5_000,
  auditTimeoutMillis: 600_000,
  conflictRetries: 10,
  refundBatchSize: 64,
  refundBatchesAtOnce: 2,
  refundLockTimeoutMillis: 1_000,
  refundsAloneAtOnce: 4,
  attemptBatchSize: 128,
  testEventBatchSize: 64
}

/** The current settings; `defaults` unless provided. Read when a layer is built. */
export const PgSettings: Context.Reference<PgSettings> = Context.Reference<PgSettings>("@surety/postgres/PgSettings", {
  defaultValue: () => defaultPgSettings
})

/** Replaces the given defaults. Dies if the schema's name is invalid. */
export const layer = (settings: Partial<PgSettings>): Layer.Layer<never> =>
  Layer.sync(PgSettings, () => {
    const all = { ...defaultPgSettings, ...settings }
    return { ...all, schema: SchemaName.make(all.schema) }
  })
