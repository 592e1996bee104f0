/** A numbered step of the schema. Each database runs it once; a released step never changes. */
export interface Migration {
  /** Counts from 1, in execution order. */
  readonly id: number
  readonly name: string
  /** SQL of the step, one statement per entry. `schema` is the schema's name as a quoted identifier. */
  readonly statements: (schema: string) => ReadonlyArray<string>
  /**
   * Set if the step cannot run inside a transaction, such as `create index concurrently`. An interrupted step restarts
   * from its first statement, so it must be repeatable: `drop index concurrently if exists` before the `create`. For a
   * table partitioned by month, each partition gets the index: see `indexPartitions.ts`.
   */
  readonly outsideTransaction?: true
}

/**
 * A function that the numbered steps can run without. It is installed after them, and again when its text changes. The
 * text begins with `create or replace`, which preserves privileges. If the arguments change, a numbered step drops the
 * function first.
 */
export interface SqlFunction {
  readonly name: string
  readonly definition: (schema: string) => string
}

/** A release's migrations: steps in order of number, applied first, then functions in order of name. */
export interface MigrationSet {
  readonly steps: ReadonlyArray<Migration>
  readonly functions: ReadonlyArray<SqlFunction>
}

export const stepText = ({ id, name }: Pick<Migration, "id" | "name">): string => `${id} (${name})`

export const functionText = ({ name }: Pick<SqlFunction, "name">): string => `function ${name}`

const environments = ["TEST", "LIVE"] as const

/**
 * Builds statements that create one partial index per environment, since list queries name the environment as a
 * constant. The index for `TEST` is called `<table>_test_<name>_idx`. `also` adds a condition, starting with ` and`.
 */
export const perEnvironment = (
  schema: string,
  table: string,
  name: string,
  columns: string,
  also = ""
): ReadonlyArray<string> =>
  environments.map((environment) => {
    const index = [table, environment.toLowerCase(), name, "idx"].filter((part) => part !== "").join("_")
    return `create index ${index} on ${schema}.${table} (${columns})
  where environment = '${environment}'${also}`
  })

/**
 * Returns statements for triggers that refuse updates, deletes and truncates of a table. Only the rows of a merchant
 * that has moved may be deleted. With Citus, the node that stores the table has only the row-level trigger.
 */
export const appendOnlyTriggers = (schema: string, table: string): ReadonlyArray<string> => [
  `create trigger ${table}_append_only before update or delete or truncate
  on ${schema}.${table} for each statement execute function ${schema}.refuse_change()`,
  `create trigger ${table}_kept before update or delete
  on ${schema}.${table} for each row execute function ${schema}.refuse_change()`
]

/**
 * Returns statements for the triggers of a table about people. They refuse updates, deletes and truncates, except for
 * erasure, retention and the removal of a merchant that has moved.
 */
export const personTriggers = (schema: string, table: string): ReadonlyArray<string> => [
  `create trigger ${table}_append_only before update or delete or truncate
  on ${schema}.${table} for each statement execute function ${schema}.refuse_person_change('${table}')`,
  `create trigger ${table}_kept before update or delete
  on ${schema}.${table} for each row execute function ${schema}.refuse_person_change('${table}')`
]
