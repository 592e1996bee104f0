import { overPartitions, type PartitionLayout, wholeTables } from "./indexPartitions.js"
import type { Migration, MigrationSet, SqlFunction } from "./Migration.js"

const quoted = (schema: string): string => `"${schema}"`

export const stepsTable = (schema: string): string => `${quoted(schema)}.surety_migrations`
export const functionsTable = (schema: string): string => `${quoted(schema)}.surety_functions`

/**
 * Builds the statement that takes a schema's migration lock until the transaction ends. The lock serialises the
 * transactions that migrate the schema.
 */
export const lockStatement = (schema: string): string =>
  `select pg_advisory_xact_lock(hashtextextended('surety_migrations ${schema}', 0))`

/**
 * Limits each wait for a lock to 50 ms, because later statements on the table queue behind the waiting one. After a
 * timeout, `PgMigrations.run` retries the transaction.
 */
export const lockTimeoutStatement = "set local lock_timeout = '50ms'"

/**
 * Builds the statement that switches to the owner of the tables, who then owns everything that the migrations create.
 * Some functions run with their owner's privileges, and the next run must be able to alter the tables. If the tables
 * do not exist yet, a superuser switches to the schema's owner, unless that is a built-in role. The statement does
 * nothing if the user may not become the owner.
 */
export const becomeOwnerStatement = (schema: string): string => `do $owner$
declare
  owner constant oid := coalesce(
    (select c.relowner from pg_class c where c.oid = to_regclass('${stepsTable(schema)}')),
    (
      select n.nspowner from pg_namespace n
      -- Excludes predefined roles, such as the owner of the schema "public".
      where n.oid = to_regnamespace('${quoted(schema)}') and n.nspowner >= 16384
        and (select r.rolsuper from pg_roles r where r.rolname = current_user)
    )
  );
begin
  if owner <> (select r.oid from pg_roles r where r.rolname = current_user)
    -- Before PostgreSQL 16 every member may become the role.
    and pg_has_role(owner, case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end)
  then
    execute format('set local role %s', owner::regrole);
  end if;
end
$owner$`

/** Builds the SQL for the lock key of steps outside a transaction. The lock serialises these steps. */
export const outsideLock = (schema: string): string => `hashtextextended('surety_migrations outside ${schema}', 0)`

/** Returns statements that create the tables that record migrations. A function's current row has no `replaced_at`. */
export const recordTables = (schema: string): ReadonlyArray<string> => [
  `create table ${stepsTable(schema)} (
  id integer not null,
  name text not null,
  applied_at timestamptz(3) not null default now(),
  constraint surety_migrations_pkey primary key (id)
)`,
  `create table ${functionsTable(schema)} (
  name text collate "C" not null,
  hash text collate "C" not null,
  applied_at timestamptz(3) not null default now(),
  replaced_at timestamptz(3),
  constraint surety_functions_pkey primary key (name, hash)
)`,
  `create unique index surety_functions_current_key on ${functionsTable(schema)} (name) where replaced_at is null`
]

export const schemaStatement = (schema: string): string => `create schema if not exists ${quoted(schema)}`

/**
 * Returns a step's statements, adapted to the partitioned tables in `layout`. The last statement records the step.
 */
export const stepStatements = (
  schema: string,
  { id, name, statements }: Migration,
  layout: PartitionLayout = wholeTables
): ReadonlyArray<string> => [
  ...overPartitions(statements(quoted(schema)), layout),
  `insert into ${stepsTable(schema)} (id, name) values (${id}, '${name}')`
]

/** The hash of this statement identifies the function's version. */
export const functionDefinition = (schema: string, { definition }: SqlFunction): string => definition(quoted(schema))

/**
 * Builds the statement that creates a function and records the hash of its text. The server computes the hash, so a
 * script contains no hashes. Recording a text again makes it the current one, even if it was replaced.
 */
export const functionStatement = (schema: string, sqlFunction: SqlFunction): string => `do $migration$
declare
  definition constant text := $definition$${functionDefinition(schema, sqlFunction)}$definition$;
begin
  execute definition;
  update ${functionsTable(schema)} set replaced_at = now() where name = '${sqlFunction.name}' and replaced_at is null;
  insert into ${functionsTable(schema)} (name, hash)
  values ('${sqlFunction.name}', encode(sha256(convert_to(definition, 'UTF8')), 'hex'))
  on conflict (name, hash) do update set applied_at = now(), replaced_at = null;
end
$migration$`

/**
 * Builds the last statement of a run. It calls `settle_distribution`, if that exists, to adapt a schema distributed by
 * Citus.
 */
export const settleStatement = (schema: string): string =>
  `do $settle$
begin
  if to_regprocedure('${quoted(schema)}.settle_distribution()') is not null then
    perform ${quoted(schema)}.settle_distribution();
  end if;
end
$settle$`

/** Steps that run in one transaction, followed by at most one step that must run outside a transaction. */
interface Stretch {
  readonly together: ReadonlyArray<Migration>
  readonly outside: Migration | undefined
}

/**
 * Splits off the steps up to and including the first that runs outside a transaction. `rest` holds the steps after it.
 */
export const firstStretch = (
  steps: ReadonlyArray<Migration>
): Stretch & { readonly rest: ReadonlyArray<Migration> } => {
  const end = steps.findIndex(({ outsideTransaction }) => outsideTransaction === true)
  return end === -1
    ? { together: steps, outside: undefined, rest: [] }
    : { together: steps.slice(0, end), outside: steps[end], rest: steps.slice(end + 1) }
}

const transaction = (
  schema: string,
  before: ReadonlyArray<string>,
  statements: ReadonlyArray<string>
): ReadonlyArray<string> =>
  statements.length === 0
    ? []
    : [
        "begin",
        lockStatement(schema),
        lockTimeoutStatement,
        ...before,
        becomeOwnerStatement(schema),
        ...statements,
        "commit"
      ]

/**
 * Returns the pending migrations as one SQL script, empty if nothing is pending. `isNew` adds the schema and the tables
 * that record migrations.
 */
export const scriptOf = (
  schema: string,
  pending: MigrationSet,
  isNew: boolean,
  layout: PartitionLayout = wholeTables
): string => {
  const first = isNew ? recordTables(schema) : []
  const functions = [
    ...pending.functions.map((sqlFunction) => functionStatement(schema, sqlFunction)),
    ...(pending.functions.length + pending.steps.length > 0 ? [settleStatement(schema)] : [])
  ]
  const statements = (steps: ReadonlyArray<Migration>, isFirst: boolean): ReadonlyArray<string> => {
    const { outside, rest, together } = firstStretch(steps)
    const inside = [...(isFirst ? first : []), ...together.flatMap((step) => stepStatements(schema, step))]
    // Creating the schema needs a privilege on the database, which the tables' owner may lack.
    const before = isFirst && isNew ? [schemaStatement(schema)] : []
    return outside === undefined
      ? transaction(schema, before, [...inside, ...functions])
      : [...transaction(schema, before, inside), ...stepStatements(schema, outside, layout), ...statements(rest, false)]
  }
  return statements(pending.steps, true)
    .map((statement) => `${statement};\n`)
    .join("\n")
}
