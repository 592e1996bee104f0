/** A numbered step of the schema. Each database runs it once; a released step never changes. */
export interface Migration {
  /** Counts from 1, in the order of the steps. */
  readonly id: number
  readonly name: string
  /** The step's SQL, one statement each. `schema` is the PostgreSQL schema's name as a quoted identifier. */
  readonly statements: (schema: string) => ReadonlyArray<string>
  /**
   * Set if the step cannot run inside a transaction, such as `create index concurrently`. An interrupted step runs again
   * as a whole, so its statements must allow that: `drop index concurrently if exists` before the `create`. Of a table by month
   * each partition gets the index: see `indexPartitions.ts`.
   */
  readonly outsideTransaction?: true
}

/**
 * A function that only statements call, and no table refers to. It follows the numbered steps and runs again when its
 * text changes. The text begins with `create or replace`, which keeps what was granted; if the arguments change, a
 * numbered step drops the function first.
 */
export interface SqlFunction {
  readonly name: string
  readonly definition: (schema: string) => string
}

/** What brings a database to a release: the steps by number, then the functions by name. */
export interface MigrationSet {
  readonly steps: ReadonlyArray<Migration>
  readonly functions: ReadonlyArray<SqlFunction>
}

/** A step as people read it: `4 (consent)`. */
export const stepText = ({ id, name }: Pick<Migration, "id" | "name">): string => `${id} (${name})`

/** A function as people read it: `function commit_refunds`. */
export const functionText = ({ name }: Pick<SqlFunction, "name">): string => `function ${name}`

const environments = ["TEST", "LIVE"] as const

/**
 * One index per environment, since lists name theirs as a constant: `name` of the first gives
 * `<table>_test_<name>_idx`.
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

/** The triggers that refuse each change of a table's rows. A distributed table has those of rows alone on its node. */
export const appendOnlyTriggers = (schema: string, table: string): ReadonlyArray<string> => [
  `create trigger ${table}_append_only before update or delete or truncate
  on ${schema}.${table} for each statement execute function ${schema}.refuse_change()`,
  `create trigger ${table}_kept before update or delete
  on ${schema}.${table} for each row execute function ${schema}.refuse_change()`
]

/** The triggers that keep a table about people: rows are only appended, but for an erasure and retention. */
export const personTriggers = (schema: string, table: string): ReadonlyArray<string> => [
  `create trigger ${table}_append_only before update or delete or truncate
  on ${schema}.${table} for each statement execute function ${schema}.refuse_person_change('${table}')`,
  `create trigger ${table}_kept before update or delete
  on ${schema}.${table} for each row execute function ${schema}.refuse_person_change('${table}')`
]
