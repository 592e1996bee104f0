import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { layer, TestPostgres } from "../machine/TestPostgres.js"

declare module "vitest" {
  export interface ProvidedContext {
    /** The connection url of this run's PostgreSQL. */
    readonly pgUrl: string
    /** Name prefix of the run's template databases and roles. */
    readonly pgTemplates: string
  }
}

/**
 * Provides one PostgreSQL for the whole run, as Vitest's global setup. If it does not start, the run fails instead of
 * skipping tests.
 */
export const setup = async (project: TestProject): Promise<void> => {
  const context = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
  const { url } = Context.get(context, TestPostgres)
  await Effect.runPromise(Scope.provide(dropMade(url), scope))
  project.provide("pgUrl", Redacted.value(url))
  project.provide("pgTemplates", templates)
}

const templates = `template_${randomUUID().replaceAll("-", "")}`

/**
 * Adds a finalizer that drops the run's template databases and roles. Otherwise, a server that the run did not start
 * would keep them.
 */
const dropMade = (url: Redacted.Redacted): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const found = yield* sql<{ readonly datname: string }>`
        select datname from pg_database where starts_with(datname, ${templates})`
      for (const { datname } of found) yield* sql.unsafe(`drop database ${datname} with (force)`)
      const roles = yield* sql<{ readonly rolname: string }>`
        select rolname from pg_roles where starts_with(rolname, ${templates})`
      // An interrupted test leaves its database behind. That database's grants prevent dropping the role, so the
      // failure is ignored.
      for (const { rolname } of roles) yield* Effect.ignore(sql.unsafe(`drop role ${rolname}`))
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.orDie)
  )

/** Drops the run's template databases and roles, and stops the server if `setup` started one. */
export const teardown = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

const scope = Scope.makeUnsafe()
