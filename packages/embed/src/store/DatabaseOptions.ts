/** What every PostgreSQL store takes. */
export interface DatabaseOptions {
  /** The Postgres schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Whether opening the store runs pending migrations. Default: yes. */
  readonly migrate?: boolean
}
