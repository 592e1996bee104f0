import { Context, Layer, Schema } from "effect"

/** A PostgreSQL schema's name, in lower case so that quotes make no difference. */
export const SchemaName = Schema.String.check(
  Schema.isPattern(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/u, {
    expected: "1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"
  })
)

/** How the stores use the database. */
export interface PgSettings {
  /** The PostgreSQL schema of all our tables and functions, so that a host's are never touched. */
  readonly schema: string
  /**
   * Time limit of a verb, including the wait for a connection. After it the caller gets `StoreUnavailable`; the
   * statement may still be committed.
   */
  readonly operationTimeoutMillis: number
  /** The same for reads of the whole ledger: trial balance and audit. */
  readonly auditTimeoutMillis: number
  /** Retries of a transaction that the server aborted (deadlock, serialization failure). */
  readonly conflictRetries: number
  /** Largest batch of refunds. */
  readonly refundBatchSize: number
  /** Batches in flight; refunds that arrive meanwhile wait for the next one. */
  readonly refundBatchesAtOnce: number
  /**
   * How long a batch waits for an account that another transaction has locked, such as a host's. After that its
   * refunds are committed one by one, so that other merchants' refunds do not wait.
   */
  readonly refundLockTimeoutMillis: number
  /** Refunds in flight outside batches: those with a stale snapshot, and those that wait for a lock. */
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
