/** One step of the schema. A step that was released is never changed: a correction is another step. */
export interface Migration {
  /** Counts from 1; the order in which they are run. */
  readonly id: number
  readonly name: string
  /** The step's SQL, one statement each. `schema` is the Postgres schema's name as a quoted identifier. */
  readonly statements: (schema: string) => ReadonlyArray<string>
}
