import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { layer, TestPostgres } from "../machine/TestPostgres.js"

declare module "vitest" {
  export interface ProvidedContext {
    /** The connection url of the PostgreSQL that this run has for itself. */
    readonly pgUrl: string
  }
}

/**
 * Vitest's global setup: one PostgreSQL for the whole run. A server that cannot be had fails the run, it skips no test.
 * Returns what Vitest calls at the run's end.
 */
export const setup = async (project: TestProject): Promise<void> => {
  const context = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
  project.provide("pgUrl", Redacted.value(Context.get(context, TestPostgres).url))
}

/** Ends what `setup` started. */
export const teardown = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

const scope = Scope.makeUnsafe()
