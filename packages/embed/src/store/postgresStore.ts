import * as PgClient from "@effect/sql-pg/PgClient"
import * as HostPool from "@surety/postgres/HostPool"
import { Redacted } from "effect"
import { type DatabaseOptions, databaseStore } from "./databaseStore.js"
import type { TransactionalStore } from "./HostStore.js"

/** Which PostgreSQL (15 or newer): an address, or a pool that the host has already, of `pg` or alike. */
export type PostgresOptions = DatabaseOptions &
  ({ readonly url: string; readonly maxConnections?: number } | { readonly pool: HostPool.HostPool })

const defaultConnections = 16

/**
 * Records in PostgreSQL, in a schema of their own. With `url` Surety opens a pool of its own, the faster of the two; a
 * `pool` of the host's is used and never ended.
 *
 * @example
 * const store = postgresStore({ url: "postgres://shop:secret@db.internal:5432/shop" })
 */
export const postgresStore = (options: PostgresOptions): TransactionalStore =>
  databaseStore(
    "pool" in options
      ? HostPool.layer(options.pool)
      : PgClient.layer({
          url: Redacted.make(options.url),
          applicationName: "surety",
          maxConnections: options.maxConnections ?? defaultConnections,
          connectTimeout: "5 seconds"
        }),
    options
  )
