import pg from "pg"
import { copiedTables } from "./Copying.ts"

/** Tables that are filled while their indexes are disabled. */
const filledTables = [...copiedTables, "consumer", "consumer_link", "account", "receipt_chain_end"]

const settings = [
  "timezone = 'UTC'",
  "jit = off",
  "synchronize_seqscans = off",
  "work_mem = '256MB'",
  "temp_buffers = '128MB'",
  "maintenance_work_mem = '512MB'",
  "max_parallel_maintenance_workers = 1"
]

export const connect = async (databaseUrl: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const setting of settings) await client.query(`set ${setting}`)
  return client
}

/** Starts the statements in order, each on the next free client. */
export const atOnce = async (clients: ReadonlyArray<pg.Client>, statements: ReadonlyArray<string>): Promise<void> => {
  let next = 0
  const work = async (client: pg.Client): Promise<void> => {
    for (let statement = statements[next++]; statement !== undefined; statement = statements[next++]) {
      await client.query(statement)
    }
  }
  await Promise.all(clients.map(work))
}

/** Returns the named tables, with partitions instead of partitioned tables, largest first. */
const leaves = async (client: pg.Client, names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ readonly name: string }>(
    `select l.oid::regclass::text as name
     from pg_class t
     cross join lateral (select relid from pg_partition_tree(t.oid) where isleaf union select t.oid where t.relkind = 'r') p
     join pg_class l on l.oid = p.relid
     where t.relnamespace = 'surety'::regnamespace and t.relname = any ($1) and not t.relispartition
     order by pg_relation_size(l.oid) desc, 1`,
    [names]
  )
  return rows.map(({ name }) => name)
}

/**
 * Disables the indexes of the filled tables until `putBack` rebuilds them. New rows are not indexed, and queries do not
 * use the indexes. Only for a database without other users.
 */
export const layIndexesAside = async (client: pg.Client): Promise<void> => {
  const names = await leaves(client, filledTables)
  await client.query("set allow_system_table_mods = on")
  await client.query(
    "update pg_index set indisvalid = false, indisready = false where indrelid = any ($1::text[]::regclass[])",
    [names]
  )
  await client.query("set allow_system_table_mods = off")
}

/** Rebuilds the indexes of the filled tables, which checks uniqueness. Then vacuums and analyses every table. */
export const putBack = async (clients: ReadonlyArray<pg.Client>): Promise<void> => {
  const [client] = clients
  if (client === undefined) return
  const names = await leaves(client, filledTables)
  let next = 0
  // Vacuums each table right after its reindex, while the pages that the reindex has read are in memory.
  const work = async (own: pg.Client): Promise<void> => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      await own.query(`reindex table ${name}`)
      await own.query(`vacuum ${name}`)
    }
  }
  await Promise.all(clients.map(work))
  const { rows } = await client.query<{ readonly names: ReadonlyArray<string> | null }>(
    "select array_agg(indexrelid::regclass::text) as names from pg_index where not indisvalid or not indisready"
  )
  const [missing] = rows
  if (missing?.names != null) throw new Error(`Indexes are missing: ${missing.names.join(", ")}`)
  await client.query("vacuum (analyze)")
}

/** Fails if any foreign key references a missing row. */
export const checkReferences = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{
    readonly name: string
    readonly from: string
    readonly to: string
    readonly columns: ReadonlyArray<string>
    readonly referenced: ReadonlyArray<string>
  }>(
    `select c.conname as name, c.conrelid::regclass::text as from, c.confrelid::regclass::text as to,
       array(select quote_ident(a.attname) from unnest(c.conkey) with ordinality k (n, place)
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.place) as columns,
       array(select quote_ident(a.attname) from unnest(c.confkey) with ordinality k (n, place)
         join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.place) as referenced
     from pg_constraint c
     where c.contype = 'f' and c.conparentid = 0 and c.connamespace = 'surety'::regnamespace`
  )
  for (const { columns, from, name, referenced, to } of rows) {
    const given = columns.map((column) => `f.${column} is not null`).join(" and ")
    const same = columns.map((column, index) => `t.${referenced[index]} = f.${column}`).join(" and ")
    const { rowCount } = await client.query(
      `select from ${from} f where ${given} and not exists (select from ${to} t where ${same}) limit 1`
    )
    if (rowCount !== 0) throw new Error(`The filled store breaks ${name}`)
  }
}
