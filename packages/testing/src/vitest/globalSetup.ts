import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { layer, TestPostgres } from "../machine/TestPostgres.js"

declare module "vitest" {
  export interface ProvidedContext {
    /** The connection url of this run's own PostgreSQL. */
    readonly pgUrl: string
  }
}

/**
 * Vitest's global setup: one PostgreSQL for the whole run. If it does not start, the run fails and no test is skipped.
 */
export const setup = async (project: TestProject): Promise<void> => {
  const context = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
  project.provide("pgUrl", Redacted.value(Context.get(context, TestPostgres).url))
}

/** Ends what `setup` started. */
export const teardown = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

const scope = Scope.makeUnsafe()
