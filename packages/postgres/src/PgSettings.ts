import { Context, Layer, Schema } from "effect"

/** The name of a PostgreSQL schema, limited to characters that need no quoting. */
export const SchemaName = Schema.String.check(
  Schema.isPattern(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/u, {
    expected: "1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"
  })
)

/**
 * Parameters of the session for a client that Surety connects itself. They override a role's or a database's own
 * setting, under which PostgreSQL would read the backslashes in the tables' and functions' SQL as escapes. PgBouncer
 * accepts them too.
 */
export const startupParameters: Readonly<Record<string, string>> = { standard_conforming_strings: "on" }

/**
 * How long a client that Surety connects itself uses a connection. A connection to a demoted primary, or from a time
 * when the database was set to read-only, would otherwise stay in use after a failover, and refuse every write.
 */
export const connectionTTL = "5 minutes"

/**
 * Begins a transaction at the only level under which a read after a lock sees all that was committed before the lock was
 * granted. The default level of the role or database may be another.
 */
export const beginReadCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** Database settings of the stores. */
export interface PgSettings {
  /** The PostgreSQL schema that holds the stores' tables and functions. */
  readonly schema: string
  /**
   * Timeout of a store operation, including the wait for a connection. After the timeout the caller gets a `StoreError`
   * with `StoreUnavailable`, but the statement may still commit. An operator's change and a host request may take six
   * times as long, since each may need several operations.
   */
  readonly operationTimeoutMillis: number
  /**
   * Timeout of a long operation, such as a trial balance, an audit, a page of an archive, or partitioning a table.
   * `PgPartitions` adds 5 minutes to wait for locks.
   */
  readonly auditTimeoutMillis: number
  /** Maximum number of retries of a transaction that the server aborted (deadlock, serialization failure). */
  readonly conflictRetries: number
  /** Maximum number of refunds that share a commit. */
  readonly refundBatchSize: number
  /** Maximum number of refund batches in flight. At this limit, new refunds wait for the next batch. */
  readonly refundBatchesAtOnce: number
  /**
   * How long a batch waits for an account or idempotency key locked by another transaction, such as a host's. After
   * that the batch's refunds are committed separately, so that other merchants' refunds do not wait.
   */
  readonly refundLockTimeoutMillis: number
  /** Maximum number of refunds that run concurrently outside a batch, because their batch did not commit them. */
  readonly refundsAloneAtOnce: number
  /** Maximum number of delivery attempts recorded in one commit. */
  readonly attemptBatchSize: number
  /** Maximum number of test events stored in one commit. */
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

/** The current settings; `defaultPgSettings` unless provided. Layers read them once, when they are built. */
export const PgSettings: Context.Reference<PgSettings> = Context.Reference<PgSettings>("@surety/postgres/PgSettings", {
  defaultValue: () => defaultPgSettings
})

/** Provides the default settings, overridden by the given ones. Dies if the schema's name is invalid. */
export const layer = (settings: Partial<PgSettings>): Layer.Layer<never> =>
  Layer.sync(PgSettings, () => {
    const all = { ...defaultPgSettings, ...settings }
    return { ...all, schema: SchemaName.make(all.schema) }
  })
