import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import { SchemaName } from "@surety/postgres/PgSettings"
import { Schema } from "effect"
import { InvalidOptions } from "./InvalidOptions.js"

/** The schema of the tables, and the steps that a migration script omits. */
export interface MigrationOptions {
  /** The PostgreSQL schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Numbers of the steps already run, as listed in the schema's table `surety_migrations`. Default: none. */
  readonly done?: ReadonlyArray<number>
}

const checkSchema = (schema: string): void => {
  if (!Schema.is(SchemaName)(schema))
    throw new InvalidOptions(
      ["schema: must be 1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"],
      "The migrations"
    )
}

/** Surety's migrations, for a host that runs them with its own tool. */
export const migrations = {
  /**
   * Returns the migrations as one SQL script. Without `done`, the script has all migrations. With `done`, it has every
   * function and the steps that are not in `done`. After running it, open the store with `migrate: false`. Throws
   * `InvalidOptions` for an invalid `schema`.
   *
   * @example
   * import { writeFileSync } from "node:fs"
   * import { migrations } from "@surety/embed"
   *
   * writeFileSync("migrations/0042_surety.sql", migrations.sql())
   */
  sql: ({ done = [], schema = "surety" }: MigrationOptions = {}): string => {
    checkSchema(schema)
    return PgMigrations.script(schema, done)
  },
  /**
   * Returns SQL that lets an existing role insert into Surety's table `requests`, for a service that only queues calls.
   * The SQL revokes the role's other privileges in Surety's schema. Run it as the owner of the tables. It fails if the
   * role is missing, is `public` or a superuser, or has the owner's privileges. Throws `InvalidOptions` for an invalid
   * `schema`.
   *
   * @example
   * import { migrations } from "@surety/embed"
   *
   * console.log(migrations.requestRoleSql("shop_orders"))
   */
  requestRoleSql: (role: string, { schema = "surety" }: Pick<MigrationOptions, "schema"> = {}): string => {
    checkSchema(schema)
    return PgRoles.requestScript(schema, role)
  },
  /** Names of all migrations in execution order: `1 (merchants)`, …, `function append_events`, …. */
  names: PgMigrations.names
}
