import type { HostPool } from "@surety/postgres/HostPool"
import { defaultPgSettings, SchemaName } from "@surety/postgres/PgSettings"
import * as PgUrl from "@surety/postgres/PgUrl"
import { Option, Predicate, Schema } from "effect"
import { InvalidOptions } from "../InvalidOptions.js"
import {
  count,
  method,
  must,
  type OptionCheck,
  optional,
  options as optionsOf,
  port,
  yesOrNo
} from "../option/Check.js"
import type { TransactionalStore } from "./HostStore.js"
import { lazily } from "./lazily.js"
import type { DatabaseOptions } from "./openDatabase.js"

/**
 * A PostgreSQL database (15 or newer), by url or through the host's own pool of `pg` or a similar driver.
 * `maxConnections` limits Surety's own pool. Default: 16. With `url`, the readiness check uses one more connection.
 */
export type PostgresOptions = DatabaseOptions &
  ({ readonly url: string; readonly maxConnections?: number } | { readonly pool: HostPool })

const defaultConnections = 16

type Named = DatabaseOptions & { url: string; maxConnections: number; pool: HostPool }

/** Recognises a `Client` of `pg`. A `Client` also has `connect`, but is not a pool: it lends no connections. */
const isClient = (pool: unknown): boolean => Predicate.hasProperty(pool, "connectionParameters")

const databaseUrl: OptionCheck = (value, name) => {
  const fault = PgUrl.faultOf(typeof value === "string" ? value : "")
  return fault === undefined ? [] : [`${name}: ${fault}`]
}

const check = optionsOf<Named>(
  {
    url: optional(databaseUrl),
    maxConnections: optional(count),
    pool: optional(port<HostPool>({ connect: method })),
    schema: optional(
      must(Schema.is(SchemaName), "must be 1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_")
    ),
    migrate: optional(yesOrNo)
  },
  ({ maxConnections, pool, url }) => [
    ...(url === undefined && pool === undefined ? ["url: is missing; give it, or a pool"] : []),
    ...(url !== undefined && pool !== undefined ? ["pool: replaces url; give only one of them"] : []),
    ...(isClient(pool) ? ["pool: is a pg Client; pass a pg Pool"] : []),
    ...(maxConnections !== undefined && pool !== undefined ? ["maxConnections: set max on the pool instead"] : [])
  ]
)

const PoolSize = Schema.Struct({ options: Schema.Struct({ max: Schema.Int.check(Schema.isGreaterThan(0)) }) })

/** Returns a pool's maximum size, which a `Pool` of `pg` reports. Undefined for a pool that does not report it. */
const sizeOf = (pool: HostPool): number | undefined =>
  Option.getOrUndefined(Option.map(Schema.decodeUnknownOption(PoolSize)(pool), ({ options }) => options.max))

/**
 * Stores records in PostgreSQL, in Surety's own schema. With `url`, Surety opens its own pool, which is faster because
 * it caches prepared statements. With `pool`, Surety uses the host's pool and never ends it. Throws `InvalidOptions`
 * for invalid options, such as both `url` and `pool`, or neither.
 *
 * @example
 * import { postgresStore } from "@surety/embed"
 *
 * const store = postgresStore({ url: "postgres://shop:secret@db.internal:5432/shop" })
 */
export const postgresStore = (options: PostgresOptions): TransactionalStore => {
  const faults = check(options, "")
  if (faults.length > 0) throw new InvalidOptions(faults, "A PostgreSQL store")
  const { maxConnections = defaultConnections, pool, url }: Partial<Named> = options
  const { schema = defaultPgSettings.schema } = options
  const layer = lazily(
    () => import("./openDatabase.js"),
    ({ openPool, openUrl }) =>
      pool === undefined ? openUrl(url ?? "", maxConnections, options) : openPool(pool, options)
  )
  const connections = pool === undefined ? maxConnections : sizeOf(pool)
  return connections === undefined ? { layer, schema } : { layer, schema, connections }
}
