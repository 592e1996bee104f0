import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Schema } from "effect"
import * as Database from "./sql/Database.js"

/**
 * Settings and standbys that determine whether a commit survives a crash or failover, and whether constraints apply.
 */
export const Durability = Schema.Struct({
  /**
   * Settings that weaken durability: `fsync = off` and `synchronous_commit = off`. Also `synchronous_commit = local`,
   * if `synchronous_standby_names` is set.
   */
  weakSettings: Schema.Array(Schema.String),
  /** Number of standbys that the server reports as connected, excluding logical replication. */
  standbys: Schema.Int,
  /**
   * True if `synchronous_standby_names` is set. A commit then waits for a standby, unless a weak setting prevents it.
   */
  isSynchronous: Schema.Boolean,
  /** Default isolation level of a transaction. */
  isolation: Schema.String,
  /** True if the session skips triggers and foreign keys, as one that applies another server's changes does. */
  skipsTriggers: Schema.Boolean
})
export type Durability = typeof Durability.Type

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Durability]))

/** Reads the durability settings that apply to this connection's role and database. */
export const read: Effect.Effect<Durability, StoreError, PgClient> = Effect.gen(function* () {
  const { sql, verb } = yield* Database.make
  const [durability] = yield* Effect.flatMap(
    sql`
      select
        array(
          select s.name || ' = ' || s.setting from pg_settings s
          where s.name in ('fsync', 'synchronous_commit') and (s.setting = 'off' or s.setting = 'local' and n.names <> '')
          order by s.name
        )::text[] as "weakSettings",
        (
          select count(*)::integer from pg_stat_replication r where not exists (
            select from pg_replication_slots l where l.active_pid = r.pid and l.slot_type = 'logical'
          )
        ) as standbys,
        n.names <> '' as "isSynchronous",
        current_setting('default_transaction_isolation') as isolation,
        current_setting('session_replication_role') = 'replica' as "skipsTriggers"
      from (select current_setting('synchronous_standby_names') as names) n`,
    decode
  ).pipe(verb("PgDurability.read"))
  return durability
})

/**
 * Returns the weaknesses that an operator should fix, as sentences. These are settings and asynchronous standbys that
 * endanger a confirmed commit, a default isolation level that Surety is not tested with, and skipped triggers.
 */
export const weaknesses = ({
  isolation,
  isSynchronous,
  skipsTriggers,
  standbys,
  weakSettings
}: Durability): ReadonlyArray<string> => [
  ...weakSettings.map(
    (setting) => `The database has ${setting}: a crash or a failover can lose confirmed refunds. Set it to on.`
  ),
  ...(standbys > 0 && !isSynchronous
    ? ["No commit waits for a standby, so a failover can lose the last ones. Set synchronous_standby_names."]
    : []),
  ...(isolation === "read committed"
    ? []
    : [`default_transaction_isolation is ${isolation}. Surety is tested with read committed: set it for its role.`]),
  ...(skipsTriggers
    ? ["session_replication_role is replica: nothing keeps records from change or from loss. Reset it for its role."]
    : [])
]
