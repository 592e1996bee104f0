import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Schema } from "effect"
import * as Database from "../sql/Database.js"
import { servedTables, tableRights, unchangedTables } from "./tableRights.js"

const TableRights = Schema.Array(
  Schema.Struct({
    table: Schema.String,
    verb: Schema.String,
    only: Schema.optionalKey(Schema.Array(Schema.String)),
    except: Schema.optionalKey(Schema.String)
  })
)

const encodeRights = Schema.encodeSync(Schema.fromJsonString(TableRights))

/** Maximum number of names in `lackedRights`, and in a description of excess table privileges. */
const named = 5

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const schemaOf = ({ settings, sql }: Database.Database) => sql`to_regnamespace(${`"${settings.schema}"`})`

const neededRights = ({ sql }: Database.Database) =>
  sql`json_to_recordset(${encodeRights(tableRights)}::json) t ("table" text, verb text, "only" text[], "except" text)`

/**
 * Finds the tables and functions on which the connection's role lacks a privilege that serving needs. Returns at most
 * five, such as `table account`.
 */
export const lackedRights: Effect.Effect<ReadonlyArray<string>, StoreError, PgClient> = Effect.gen(function* () {
  const database = yield* Database.make
  const { sql, verb } = database
  const schema = schemaOf(database)
  return yield* Effect.flatMap(
    sql`
      select distinct 'table ' || t."table" as name
      from ${neededRights(database)}
      where not exists (
        select 1 from pg_class c
        where c.relnamespace = ${schema} and c.relname = t."table"
          and case when t.verb = 'delete' then has_table_privilege(c.oid, 'delete')
            else not exists (
              select 1 from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                and (t."only" is null or a.attname = any (t."only")) and a.attname is distinct from t."except"
                and not has_column_privilege(c.oid, a.attnum, t.verb)
            )
          end
      )
      union all
      select 'function ' || p.proname from pg_proc p
      where p.pronamespace = ${schema} and not has_function_privilege(p.oid, 'execute')
      order by 1 limit ${named}`,
    decodeNames
  ).pipe(
    Effect.map((found) => found.map(({ name }) => name)),
    verb("PgRoles.lackedRights")
  )
})

const About = Schema.Tuple([
  Schema.Struct({
    role: Schema.String,
    ownsDatabase: Schema.Boolean,
    ownsSchema: Schema.Boolean,
    ownsTables: Schema.Boolean,
    makesSchemas: Schema.Boolean,
    makesTables: Schema.Boolean
  })
])

const Member = Schema.Struct({
  name: Schema.String,
  isOwn: Schema.Boolean,
  isPredefined: Schema.Boolean,
  isSuperuser: Schema.Boolean,
  makesRoles: Schema.Boolean,
  makesDatabases: Schema.Boolean,
  replicates: Schema.Boolean,
  bypassesRows: Schema.Boolean
})

const Beyond = Schema.Struct({ table: Schema.String, verb: Schema.String })

const decodeAbout = Schema.decodeUnknownEffect(About)
const decodeMembers = Schema.decodeUnknownEffect(Schema.Array(Member))
const decodeBeyond = Schema.decodeUnknownEffect(Schema.Array(Beyond))

const attributes = [
  ["isSuperuser", "is a superuser"],
  ["makesRoles", "may create roles"],
  ["makesDatabases", "may create databases"],
  ["replicates", "may read the whole server by replication"],
  ["bypassesRows", "bypasses row security"]
] as const

/** Returns the excess privileges that come from `member`, a role that the connection's role is or may become. */
const excessOfMember = (member: typeof Member.Type): ReadonlyArray<string> => {
  if (member.isPredefined) return [`is a member of ${member.name}`]
  return attributes
    .filter(([attribute]) => member[attribute])
    .map(([, what]) => (member.isOwn ? what : `may become ${member.name}, which ${what}`))
}

const listed = (rights: ReadonlyArray<typeof Beyond.Type>): string => {
  const first = rights.slice(0, named).map(({ table, verb }) => `${verb} ${table}`)
  return [...first, ...(rights.length > named ? [`${rights.length - named} more`] : [])].join(", ")
}

const excessOfRights = (beyond: ReadonlyArray<typeof Beyond.Type>): ReadonlyArray<string> => {
  const isRecord = ({ table, verb }: typeof Beyond.Type): boolean =>
    verb !== "select" && [...unchangedTables, "consumer"].includes(table)
  const record = beyond.filter(isRecord)
  const others = beyond.filter((right) => !isRecord(right))
  return [
    ...(record.length === 0 ? [] : [`may change append-only records: ${listed(record)}`]),
    ...(others.length === 0 ? [] : [`has rights that serving does not need: ${listed(others)}`])
  ]
}

/** The connection's role and its privileges beyond those that serving needs. */
export interface RoleRights {
  readonly role: string
  /**
   * Descriptions of the excess privileges, such as `is a superuser`. Empty if the role has only the privileges that
   * `PgRoles.grant` gives it.
   */
  readonly excess: ReadonlyArray<string>
}

/**
 * Reads the connection's role and its privileges beyond those that serving needs. Checks table privileges only on
 * `servedTables`, not on their partitions. Roles that it may become count too, since a privilege given up with
 * `set role` can be regained.
 */
export const serverRights: Effect.Effect<RoleRights, StoreError, PgClient> = Effect.gen(function* () {
  const database = yield* Database.make
  const { sql, verb } = database
  const schema = schemaOf(database)
  const members = sql`(select r.* from pg_roles r where pg_has_role(session_user, r.oid, 'MEMBER'))`
  return yield* Effect.gen(function* () {
    const [about] = yield* Effect.flatMap(
      sql`
        select current_user as role,
          exists (
            select 1 from pg_database d
            where d.datname = current_database() and pg_has_role(session_user, d.datdba, 'MEMBER')
          ) as "ownsDatabase",
          exists (
            select 1 from pg_namespace n where n.oid = ${schema} and pg_has_role(session_user, n.nspowner, 'MEMBER')
          ) as "ownsSchema",
          exists (
            select 1 from pg_class c
            where c.relnamespace = ${schema} and c.relkind in ('r', 'p') and pg_has_role(session_user, c.relowner, 'MEMBER')
          ) as "ownsTables",
          exists (
            select 1 from ${members} m where has_database_privilege(m.oid, current_database(), 'create')
          ) as "makesSchemas",
          exists (select 1 from ${members} m where has_schema_privilege(m.oid, ${schema}, 'create')) as "makesTables"`,
      decodeAbout
    )
    const found = yield* Effect.flatMap(
      sql`
        select m.rolname as name, m.rolname = current_user as "isOwn",
          starts_with(m.rolname, 'pg_') as "isPredefined", m.rolsuper as "isSuperuser", m.rolcreaterole as "makesRoles",
          m.rolcreatedb as "makesDatabases", m.rolreplication as "replicates", m.rolbypassrls as "bypassesRows"
        from ${members} m where m.rolname <> 'pg_database_owner' order by m.rolname <> current_user, m.rolname`,
      decodeMembers
    )
    const superuser = found.find(({ isSuperuser }) => isSuperuser)
    // A superuser also has every privilege checked below, so no other privilege is listed.
    if (superuser !== undefined) return { role: about.role, excess: excessOfMember(superuser).slice(0, 1) }
    const beyond = about.ownsTables
      ? []
      : yield* Effect.flatMap(
          sql`
            select c.relname as "table", v.verb
            from pg_class c
            cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'])
              with ordinality v (verb, place)
            left join ${neededRights(database)} on t."table" = c.relname and t.verb = v.verb
            where c.relnamespace = ${schema} and c.relname in ${sql.in(servedTables)}
              and exists (
                select 1 from ${members} m
                where case when v.verb in ('delete', 'truncate', 'trigger')
                  then t.verb is null and has_table_privilege(m.oid, c.oid, v.verb)
                  else exists (
                    select 1 from pg_attribute a
                    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                      and (
                        t.verb is null or t."only" is not null and a.attname <> all (t."only") or a.attname = t."except"
                      )
                      and has_column_privilege(m.oid, c.oid, a.attnum, v.verb)
                  )
                end
              )
            order by c.relname, v.place`,
          decodeBeyond
        )
    const excess = [
      ...found.flatMap(excessOfMember),
      ...(about.ownsDatabase ? ["owns the database"] : []),
      ...(about.ownsSchema ? [`owns the schema ${database.settings.schema}`] : []),
      ...(about.ownsTables ? ["owns tables"] : []),
      ...(about.makesSchemas && !about.ownsDatabase ? ["may create schemas in the database"] : []),
      ...(about.makesTables && !about.ownsSchema
        ? [`may create tables in the schema ${database.settings.schema}`]
        : []),
      ...excessOfRights(beyond)
    ]
    return { role: about.role, excess }
  }).pipe(verb("PgRoles.serverRights"))
})
