import { PgClient } from "@effect/sql-pg/PgClient"
import * as Finding from "@surety/core/DoctorFinding"
import { innermostMessage } from "@surety/core/innermostMessage"
import { Effect, Schema } from "effect"
import { describe } from "./connection/storeFailure.js"
import { functionsTable, stepsTable } from "./migrations/migrationScript.js"
import { PgSettings } from "./PgSettings.js"
import type { RoleRights } from "./role/roleRights.js"
import { inBlock, literal, quoted, stampedGrants } from "./role/stampedGrants.js"
import { changes, servedTables, tableRights } from "./role/tableRights.js"

export { lackedRights, type RoleRights, serverRights } from "./role/roleRights.js"
export { servedTables } from "./role/tableRights.js"

/** The role could not be granted the privileges to serve. */
export class RoleNotGranted extends Schema.TaggedError<RoleNotGranted>("@surety/postgres/PgRoles/RoleNotGranted")(
  "RoleNotGranted",
  { role: Schema.String, cause: Schema.Defect() }
) {
  override get message(): string {
    return (
      `The role ${this.role} could not be granted the rights to serve: ${innermostMessage(this.cause)}. Create it first, and ` +
      "connect as the owner of the tables."
    )
  }
}

/**
 * Returns a statement that fails, before anything is revoked, for a missing role or a superuser. It also fails for
 * `public`, which even in quotes means every role. It rejects the tables' owner, because the next migration would fail
 * without the revoked privileges. It also rejects members of the owner, which could still use the owner's privileges.
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

/** Returns the privileges on a table in PostgreSQL's syntax, without those granted by `stampedGrants`. */
const rightsTo = (table: string): string =>
  tableRights
    .filter((right) => right.table === table && right.except === undefined)
    .map(({ only, verb }) => (only === undefined ? verb : `${verb} (${only.join(", ")})`))
    .join(", ")

const grantedTables: ReadonlyArray<string> = servedTables.filter((table) => rightsTo(table) !== "")

/** Returns the statements that revoke a role's earlier privileges in the schema and grant it those needed to serve. */
const grants = (schema: string, role: string): ReadonlyArray<string> => {
  const [from, to] = [quoted(schema), quoted(role)]
  return [
    guard(schema, role),
    `revoke all on all tables in schema ${from} from ${to}`,
    `revoke all on schema ${from} from ${to}`,
    `grant usage on schema ${from} to ${to}`,
    `grant select on ${stepsTable(schema)}, ${functionsTable(schema)} to ${to}`,
    ...grantedTables.map((table) => `grant ${rightsTo(table)} on ${from}.${quoted(table)} to ${to}`),
    stampedGrants(schema, role, changes),
    `grant execute on all functions in schema ${from} to ${to}`
  ]
}

/**
 * Returns SQL that grants an existing role the privileges to serve, and no others. In the schema, the role can create
 * only monthly partitions. It cannot delete transfers, receipts, events or operator actions. Of these, it can change
 * only receipts and events, and only by erasing people. `owner_bound` limits these erasures per day. The role's
 * retention jobs can delete identity reads older than the number of days in `owner_bound`.
 *
 * Run the SQL as the owner of the tables after each migration. It revokes the role's earlier privileges in the schema.
 * It fails for a missing role, `public`, a superuser, and a role with the privileges of the tables' owner.
 *
 * @example
 * import * as PgRoles from "@surety/postgres/PgRoles"
 *
 * console.log(PgRoles.script("surety", "surety_server"))
 */
export const script = (schema: string, role: string): string =>
  ["begin", ...grants(schema, role), "commit"].map((statement) => `${statement};\n`).join("")

/**
 * Returns SQL that lets an existing role, such as a host service's, only queue requests. The role may insert the
 * columns of `requests` that hosts set, and read nothing. The SQL revokes the role's other privileges in the schema. It
 * fails for the same roles as the SQL of `script`.
 */
export const requestScript = (schema: string, role: string): string => {
  const [from, to] = [quoted(schema), quoted(role)]
  const statements = [
    guard(schema, role),
    `revoke all on all tables in schema ${from} from ${to}`,
    `revoke all on all routines in schema ${from} from ${to}`,
    `revoke all on schema ${from} from ${to}`,
    `grant usage on schema ${from} to ${to}`,
    `grant insert (key, kind, payload, queue) on ${from}.requests to ${to}`
  ]
  return ["begin", ...statements, "commit"].map((statement) => `${statement};\n`).join("")
}

/**
 * Runs the statements of `script` in one transaction. Fails with `RoleNotGranted` if a statement fails, or if the
 * connection's role lacks the privileges of the tables' owner.
 */
export const grant = (role: string): Effect.Effect<void, RoleNotGranted, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    // If the user does not own the tables, PostgreSQL may only warn and grant nothing, so ownership is checked first.
    const others = yield* sql`
      select 1 from pg_class c
      where c.relnamespace = to_regnamespace(${`"${schema}"`}) and c.relkind = 'r' and not pg_has_role(c.relowner, 'USAGE')
      limit 1`
    if (others.length > 0) return yield* new RoleNotGranted({ role, cause: new Error("the tables have another owner") })
    yield* sql.withTransaction(
      Effect.forEach(grants(schema, role), (statement) => sql.unsafe(statement).unprepared, { discard: true })
    )
  }).pipe(Effect.catchTag("SqlError", (error) => new RoleNotGranted({ role, cause: describe("PgRoles.grant", error) })))

/** Returns the doctor's finding about the serving role: advice if it has privileges that serving does not need. */
export const roleFinding = (about: string, { excess, role }: RoleRights): Finding.Finding =>
  excess.length === 0
    ? Finding.ok(about, `${role} has the rights that serving needs, and no others.`)
    : Finding.advice(
        about,
        `${role} ${excess.join(", ")}. Serve as a role that cannot: docs/embedding/migrations.md, A role that only serves.`
      )
