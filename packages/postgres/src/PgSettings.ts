import { Context, Layer, Schema } from "effect"

/** A Postgres schema's name: lower case, so that it reads the same with and without quotes. */
export const SchemaName = Schema.String.check(
  Schema.isPattern(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/u, {
    expected: "1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"
  })
)

/** How the stores use the database. */
export interface PgSettings {
  /** The Postgres schema that holds every table and function of ours, so that a host's are never touched. */
  readonly schema: string
  /**
   * How long a store's verb may take, the wait for a free connection included. After that the caller is told that the
   * storage is unavailable; what was sent may still be committed.
   */
  readonly operationTimeoutMillis: number
  /** The same for what reads the whole ledger: the trial balance and the audit. */
  readonly auditTimeoutMillis: number
  /** How often a transaction that the server gave up for another's sake (deadlock, serialization) is tried again. */
  readonly conflictRetries: number
  /** How many refunds go to the server together at most. */
  readonly refundBatchSize: number
  /** How many such batches may be under way; refunds that arrive meanwhile wait for the next one. */
  readonly refundBatchesAtOnce: number
  /**
   * How long a batch waits for an account that somebody else's transaction holds, such as a host's. After that its
   * refunds go on one by one, so that those of other merchants are not held up.
   */
  readonly refundLockTimeoutMillis: number
  /** How many refunds that were overtaken, or held up, may be under way by themselves. */
  readonly refundsAloneAtOnce: number
  /** How many attempts at deliveries are recorded together at most. */
  readonly attemptBatchSize: number
  /** How many test events are kept together at most. */
  readonly testEventBatchSize: number
}

export const defaults: PgSettings = {
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

/** The settings in force; `defaults` unless provided. Read when a layer is built. */
export const PgSettings: Context.Reference<PgSettings> = Context.Reference<PgSettings>("@surety/postgres/PgSettings", {
  defaultValue: () => defaults
})

/** Replaces the defaults by what is given. Dies of a schema name that is none. */
export const layer = (settings: Partial<PgSettings>): Layer.Layer<never> =>
  Layer.sync(PgSettings, () => {
    const all = { ...defaults, ...settings }
    return { ...all, schema: SchemaName.make(all.schema) }
  })
