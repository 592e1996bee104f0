import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Schema } from "effect"

/** Partitions and indexes of the partitioned tables, which determine how `overPartitions` adapts index statements. */
export interface PartitionLayout {
  /** Partitions of each partitioned table, with the parent indexes to which their own indexes are attached. */
  readonly partitions: ReadonlyArray<{
    readonly table: string
    readonly name: string
    readonly attached: ReadonlyArray<string>
  }>
  /** Indexes of the partitioned tables. */
  readonly indexes: ReadonlyArray<string>
}

/** A layout without partitioned tables, as in a new database. */
export const wholeTables: PartitionLayout = { partitions: [], indexes: [] }

const decodePartitions = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, name: Schema.String, attached: Schema.Array(Schema.String) }))
)
const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Reads the partition layout of `schema`, an unquoted name. The layout is empty if the schema is missing. */
export const readLayout = Effect.fnUntraced(function* (sql: PgClient, schema: string) {
  const namespace = sql`to_regnamespace(${`"${schema}"`})`
  const partitions = yield* Effect.flatMap(
    sql`
      select t.relname::text as table, p.relname::text as name, coalesce((
        select array_agg(o.relname::text order by o.relname)
        from pg_index x join pg_inherits xi on xi.inhrelid = x.indexrelid join pg_class o on o.oid = xi.inhparent
        where x.indrelid = p.oid
      ), '{}') as attached
      from pg_class t join pg_inherits i on i.inhparent = t.oid join pg_class p on p.oid = i.inhrelid
      where t.relnamespace = ${namespace} and t.relkind = 'p' and p.relkind = 'r'
      order by t.relname, p.relname`,
    decodePartitions
  )
  const indexes = yield* Effect.flatMap(
    sql`select c.relname::text as name from pg_class c where c.relnamespace = ${namespace} and c.relkind = 'I'`,
    decodeNames
  )
  const layout: PartitionLayout = { partitions, indexes: indexes.map(({ name }) => name) }
  return layout
})

const ofCreate = /^create (unique )?index concurrently (\w+)\s+on (\S+)\.(\w+)\s+([\s\S]+)$/
const ofDrop = /^drop index concurrently (?:if exists )?(\S+)\.(\w+)$/

/**
 * Wraps a catalog-only statement in a block that waits at most 50 ms for a lock, so writes never queue behind it for
 * long. It retries for 5 minutes, then fails with the lock timeout.
 */
const briefly = (statement: string): string => `do $brief$
declare
  patience constant timestamptz := clock_timestamp() + interval '5 minutes';
begin
  loop
    begin
      set local lock_timeout = '50ms';
      execute $statement$${statement}$statement$;
      return;
    exception when lock_not_available then
      if clock_timestamp() > patience then
        raise;
      end if;
    end;
    perform pg_sleep(0.2 + random() * 0.3);
  end loop;
end
$brief$`

/** Returns the name of a partition's index: `event_2026_12_topic_idx` for `event_topic_idx`. */
const partitionIndex = (index: string, table: string, partition: string): string =>
  `${partition}_${index.startsWith(`${table}_`) ? index.slice(table.length + 1) : index}`

/**
 * Adapts `create index concurrently` and `drop index concurrently` to partitioned tables, where PostgreSQL supports
 * neither. A new index is declared on the parent alone, built on each partition while writes continue, and attached.
 * The last attachment makes it valid. Partitions created in the meantime have it from the start. A retry after an
 * interruption builds only what is missing.
 */
export const overPartitions = (
  statements: ReadonlyArray<string>,
  { indexes, partitions }: PartitionLayout
): ReadonlyArray<string> => {
  const isByMonth = (table: string) => partitions.some((one) => one.table === table)
  const built = new Set(
    statements.flatMap((statement) => {
      const [, , name = "", , table = ""] = ofCreate.exec(statement) ?? []
      return isByMonth(table) ? [name] : []
    })
  )
  return statements.flatMap((statement) => {
    const [, place = "", dropped = ""] = ofDrop.exec(statement) ?? []
    if (built.has(dropped)) return []
    if (indexes.includes(dropped)) return [briefly(`drop index if exists ${place}.${dropped}`)]
    const [, unique = "", name = "", schema = "", table = "", rest = ""] = ofCreate.exec(statement) ?? []
    if (!built.has(name)) return [statement]
    return [
      briefly(`create ${unique}index if not exists ${name} on only ${schema}.${table} ${rest}`),
      ...partitions
        .filter((partition) => partition.table === table && !partition.attached.includes(name))
        .flatMap((partition) => {
          const own = partitionIndex(name, table, partition.name)
          return [
            `drop index concurrently if exists ${schema}.${own}`,
            `create ${unique}index concurrently ${own} on ${schema}.${partition.name} ${rest}`,
            briefly(`alter index ${schema}.${name} attach partition ${schema}.${own}`)
          ]
        })
    ]
  })
}
