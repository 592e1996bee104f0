import { PgClient } from "@effect/sql-pg/PgClient"
import { innermostMessage } from "@surety/core/innermostMessage"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Schema } from "effect"
import { describe } from "./connection/storeFailure.js"
import { functionsTable, stepsTable } from "./migrations/migrationScript.js"
import { PgSettings } from "./PgSettings.js"
import * as Database from "./sql/Database.js"
import { inBlock, literal, quoted, stampedGrants, stampedTables } from "./stampedGrants.js"

type Change = "insert" | "update" | "delete"

/** Only functions with the owner's rights change them. */
const none: ReadonlyArray<Change> = []
const append: ReadonlyArray<Change> = ["insert"]
const revise: ReadonlyArray<Change> = ["insert", "update"]
const all: ReadonlyArray<Change> = ["insert", "update", "delete"]

/**
 * How the server changes each table. Those with `append` are the record: who was refunded, who read what, who decided.
 * Only an erasure and retention change them, by functions with the owner's rights.
 */
const changes: Readonly<Record<string, ReadonlyArray<Change>>> = {
  archive_part: none,
  erasure: none,
  owner_bound: none,
  verified_account: none,
  verified_open: none,
  verified_point: none,
  verified_total: none,
  audit_run: append,
  consent_receipt: append,
  event: append,
  identity_read: append,
  kyc_evidence: append,
  merchant_status_change: append,
  operator_action: append,
  operator_transfer: append,
  secret_key: append,
  transfer: append,
  account: revise,
  api_key: revise,
  asking: revise,
  consent_grant: revise,
  consumer: revise,
  data_request: revise,
  delivery_attempt: revise,
  event_order: revise,
  merchant: revise,
  hour_counted: revise,
  payment: revise,
  proposal: revise,
  platform_stream: revise,
  receipt_chain_end: revise,
  refund: revise,
  verification: revise,
  webhook_endpoint: revise,
  code_challenge: all,
  consumer_link: all,
  data_request_key: all,
  delivery: all,
  endpoint_claim: all,
  endpoint_wake: all,
  hour_count: all,
  management_link: all,
  operator_session: all,
  platform_feed: all,
  platform_outbox: all,
  rate_limit: all,
  request_entry: all,
  requests: all,
  rights_request: all
}

/**
 * What the server changes of a consumer. Never the id: foreign keys carry a new one into the record, so a role that may set it
 * can give one person's record to another. Only an erasure does.
 */
const revisedOfConsumer: ReadonlyArray<string> = [
  "external_id",
  "display_name",
  "country",
  "email",
  "phone_verified",
  "kyc_status",
  "kyc_tier",
  "kyc_evidence_count",
  "restricted_at"
]

/** How the server changes a table, as PostgreSQL writes rights. */
const rightsTo = (table: string, verbs: ReadonlyArray<Change>): string =>
  ["select", ...(stampedTables.includes(table) ? [] : verbs)]
    .map((right) => (table === "consumer" && right === "update" ? `update (${revisedOfConsumer.join(", ")})` : right))
    .join(", ")

/** The role cannot be given the rights to serve. */
export class RoleNotGranted extends Schema.TaggedError<RoleNotGranted>("@surety/postgres/PgRoles/RoleNotGranted")(
  "RoleNotGranted",
  { role: Schema.String, cause: Schema.Defect() }
) {
  override get message(): string {
    return (
      `The role ${this.role} was not given the rights to serve: ${innermostMessage(this.cause)}. Create it first, and ` +
      "connect as the owner of the tables."
    )
  }
}

/**
 * Refuses a role whose rights cannot be restricted, before anything is revoked from it: `public`, which is every role
 * even in quotes; a superuser; and a member of the tables' owner, whose next migration would fail.
 */
const guard = (schema: string, role: string): string => `do $guard$
declare
  given constant text := ${inBlock(role)};
begin
  if lower(given) = 'public' then
    raise exception 'public is every role of the database' using errcode = 'invalid_grant_operation';
  elsif not exists (select 1 from pg_roles r where r.rolname = given) then
    raise exception 'role "%" does not exist', given using errcode = '42704';
  elsif (select r.rolsuper from pg_roles r where r.rolname = given) then
    raise exception 'it is a superuser' using errcode = 'invalid_grant_operation';
  elsif exists (
    select 1 from pg_class c
    where c.relnamespace = to_regnamespace(${literal(quoted(schema))}) and c.relkind = 'r'
      and pg_has_role(given, c.relowner, 'MEMBER')
  ) then
    raise exception 'it has the rights of the owner of the tables' using errcode = 'invalid_grant_operation';
  end if;
end
$guard$`

/** The statements that give a role the rights to serve, and revoke what it had in the schema before. */
const grants = (schema: string, role: string): ReadonlyArray<string> => {
  const [from, to] = [quoted(schema), quoted(role)]
  return [
    guard(schema, role),
    `revoke all on all tables in schema ${from} from ${to}`,
    `revoke all on schema ${from} from ${to}`,
    `grant usage on schema ${from} to ${to}`,
    `grant select on ${stepsTable(schema)}, ${functionsTable(schema)} to ${to}`,
    ...Object.entries(changes).map(
      ([table, verbs]) => `grant ${rightsTo(table, verbs)} on ${from}.${quoted(table)} to ${to}`
    ),
    stampedGrants(schema, role, changes),
    `grant execute on all functions in schema ${from} to ${to}`
  ]
}

/**
 * SQL that lets an existing role serve, and no more: it reads, appends, and changes what the server changes. It can make no
 * table but the coming months' partitions, and neither change nor delete a transfer, receipt, event or operator's action, other than by erasing a person, up
 * to the number a day that `owner_bound` allows. It can let retention take reads that are older than `owner_bound` keeps them. Run it as the owner of the
 * tables after each migration: what the role had in the schema before is revoked. The script fails for `public`, a
 * superuser, and a role with the rights of the tables' owner.
 *
 * @example
 * import * as PgRoles from "@surety/postgres/PgRoles"
 *
 * console.log(PgRoles.script("surety", "surety_server"))
 */
export const script = (schema: string, role: string): string =>
  ["begin", ...grants(schema, role), "commit"].map((statement) => `${statement};\n`).join("")

/**
 * SQL that lets an existing role queue requests, and no more: it inserts a host's columns of `requests`, and reads
 * nothing. For a service of the host's that shares no other rights with Surety. Refuses the roles that `script`
 * refuses.
 */
export const requestScript = (schema: string, role: string): string => {
  const [from, to] = [quoted(schema), quoted(role)]
  const statements = [
    guard(schema, role),
    `revoke all on all tables in schema ${from} from ${to}`,
    `grant usage on schema ${from} to ${to}`,
    `grant insert (key, kind, payload, queue) on ${from}.requests to ${to}`
  ]
  return ["begin", ...statements, "commit"].map((statement) => `${statement};\n`).join("")
}

/** Runs `script` in one transaction. Fails with `RoleNotGranted` if the role is missing, or is not the caller's to grant to. */
export const grant = (role: string): Effect.Effect<void, RoleNotGranted, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    // To a user who does not own the tables, PostgreSQL grants nothing and only warns.
    const others = yield* sql`
      select 1 from pg_class c
      where c.relnamespace = to_regnamespace(${`"${schema}"`}) and c.relkind = 'r' and not pg_has_role(c.relowner, 'USAGE')
      limit 1`
    if (others.length > 0) return yield* new RoleNotGranted({ role, cause: new Error("the tables have another owner") })
    yield* sql.withTransaction(
      Effect.forEach(grants(schema, role), (statement) => sql.unsafe(statement).unprepared, { discard: true })
    )
  }).pipe(Effect.catchTag("SqlError", (error) => new RoleNotGranted({ role, cause: describe("PgRoles.grant", error) })))

/** The tables that a role that serves may read. */
export const servedTables: ReadonlyArray<string> = Object.keys(changes)

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const changesText = Schema.encodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Array(Schema.String))))

/** What serving needs and the connection's role lacks: at most five tables and functions, as `table account`. */
export const lackedRights: Effect.Effect<ReadonlyArray<string>, StoreError, PgClient> = Effect.gen(function* () {
  const { settings, sql, verb } = yield* Database.make
  const schema = sql`to_regnamespace(${`"${settings.schema}"`})`
  return yield* Effect.flatMap(
    sql`
      select 'table ' || t.key as name
      from json_each(${changesText(changes)}::json) t
      where not exists (
        select 1 from pg_class c
        where c.relnamespace = ${schema} and c.relname = t.key and has_table_privilege(c.oid, 'select')
          and not exists (
            select 1 from json_array_elements_text(t.value) v (verb)
            where not case when v.verb = 'delete' then has_table_privilege(c.oid, 'delete')
              else has_any_column_privilege(c.oid, v.verb) end
          )
      )
      union all
      select 'function ' || p.proname from pg_proc p
      where p.pronamespace = ${schema} and not has_function_privilege(p.oid, 'execute')
      order by 1 limit 5`,
    decodeNames
  ).pipe(
    Effect.map((found) => found.map(({ name }) => name)),
    verb("PgRoles.lackedRights")
  )
})

const Excess = Schema.Tuple([
  Schema.Struct({
    role: Schema.String,
    isSuperuser: Schema.Boolean,
    makesTables: Schema.Boolean,
    changesRecord: Schema.Boolean
  })
])

const decodeExcess = Schema.decodeUnknownEffect(Excess)

/** What the connection's role may do beyond serving. */
export interface RoleRights {
  readonly role: string
  /** What it should not be able to do, in plain words. Empty for a role with the rights of `grant` alone. */
  readonly excess: ReadonlyArray<string>
}

/** The role that this connection has, and which rights it has that serving does not need. */
export const serverRights: Effect.Effect<RoleRights, StoreError, PgClient> = Effect.gen(function* () {
  const { settings, sql, verb } = yield* Database.make
  const record = Object.keys(changes).filter((table) => changes[table] === append || changes[table] === none)
  return yield* Effect.gen(function* () {
    const [found] = yield* Effect.flatMap(
      sql`
        select current_user as role,
          (select r.rolsuper from pg_roles r where r.rolname = current_user) as "isSuperuser",
          has_schema_privilege(${settings.schema}, 'CREATE') as "makesTables",
          coalesce((
            select bool_or(
              case when c.relname = 'consumer' then has_column_privilege(c.oid, 'id', 'UPDATE')
              else has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE') end
            )
            from pg_class c
            where c.relnamespace = to_regnamespace(${`"${settings.schema}"`}) and c.relname in ${sql.in([...record, "consumer"])}
          ), false) as "changesRecord"`,
      decodeExcess
    )
    const excess = [
      ...(found.isSuperuser ? ["is a superuser"] : []),
      ...(found.makesTables ? [`may make tables in the schema ${settings.schema}`] : []),
      ...(found.changesRecord ? ["may change what is only appended: transfers, receipts, reads, events"] : [])
    ]
    return { role: found.role, excess }
  }).pipe(verb("PgRoles.serverRights"))
})
