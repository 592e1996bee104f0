import type { PgClient } from "@effect/sql-pg/PgClient"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { Effect, Layer, Predicate } from "effect"
import { StoreNotOpened, type TransactionalStore } from "./HostStore.js"

export interface DatabaseOptions {
  /** The Postgres schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Whether to bring the tables up to date when it is opened. Default: yes. */
  readonly migrate?: boolean
}

const deepest = 8

/** What the innermost cause says, such as `connect ECONNREFUSED 127.0.0.1:5432`. */
const innermostMessage = (error: unknown): string => {
  let current = error
  for (let depth = 0; depth < deepest; depth += 1) {
    const inner = [
      Predicate.hasProperty(current, "reason") ? current.reason : undefined,
      Predicate.hasProperty(current, "cause") ? current.cause : undefined
    ].find((value) => Predicate.isObject(value))
    if (inner === undefined) break
    current = inner
  }
  return Predicate.hasProperty(current, "message") ? String(current.message) : String(current)
}

/** The storage ports over a client of PostgreSQL. */
export const databaseStore = <E>(
  client: Layer.Layer<PgClient, E>,
  { migrate = true, schema }: DatabaseOptions
): TransactionalStore => {
  const opened = Layer.mergeAll(PgStores.layer, PgReadiness.layer, migrate ? PgMigrations.layer : Layer.empty).pipe(
    Layer.provideMerge(client),
    Layer.provide(schema === undefined ? Layer.empty : PgSettings.layer({ schema }))
  )
  const layer = Layer.effectContext(
    Effect.mapError(
      Layer.build(opened),
      (cause) => new StoreNotOpened({ cause, message: `Surety cannot use its database: ${innermostMessage(cause)}` })
    )
  )
  return { layer }
}
