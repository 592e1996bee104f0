import { innermostMessage } from "@surety/core/innermostMessage"
import { Schema } from "effect"

/** A newer release migrated the database. This release must not use it. */
export class DatabaseIsNewer extends Schema.TaggedError<DatabaseIsNewer>(
  "@surety/postgres/PgMigrations/DatabaseIsNewer"
)("DatabaseIsNewer", { schema: Schema.String, found: Schema.String }) {
  override get message(): string {
    return `The tables in schema "${this.schema}" are those of a newer release: ${this.found}. Run the newer release.`
  }
}

/** The database predates the first release. The steps that built it no longer exist, so it cannot be migrated. */
export class DatabasePredatesRelease extends Schema.TaggedError<DatabasePredatesRelease>(
  "@surety/postgres/PgMigrations/DatabasePredatesRelease"
)("DatabasePredatesRelease", { schema: Schema.String }) {
  override get message(): string {
    return (
      `The tables in schema "${this.schema}" were made before Surety's first release and cannot be migrated. Use ` +
      `another database, or remove these tables and their records with: drop schema "${this.schema}" cascade`
    )
  }
}

/**
 * The database lacks some of this release's migrations. A missing step may precede applied ones, since merged branches
 * may add steps out of order.
 */
export class DatabaseNotMigrated extends Schema.TaggedError<DatabaseNotMigrated>(
  "@surety/postgres/PgMigrations/DatabaseNotMigrated"
)("DatabaseNotMigrated", {
  schema: Schema.String,
  /** Missing migrations, such as `4 (consent)` or `function commit_refunds`. */
  missing: Schema.NonEmptyArray(Schema.String),
  /** True if no migration has ever run. */
  isEmpty: Schema.Boolean
}) {
  override get message(): string {
    return (
      `The tables in schema "${this.schema}" lack migrations that this release needs: ${this.missing.join(", ")}. ` +
      "Run the migrations."
    )
  }
}

/**
 * A migration, such as `4 (consent)`, failed or could not run. If it ran in a transaction, its changes were rolled
 * back.
 */
export class MigrationFailed extends Schema.TaggedError<MigrationFailed>(
  "@surety/postgres/PgMigrations/MigrationFailed"
)("MigrationFailed", { migration: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `Migration ${this.migration} failed: ${innermostMessage(this.cause)}`
  }
}
