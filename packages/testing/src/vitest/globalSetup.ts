import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as LeftOut from "../machine/LeftOut.js"
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

/** Ends what `setup` started, and reports what the environment's variables left out. */
export const teardown = async (): Promise<void> => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const line of LeftOut.report(process.env)) process.stderr.write(`\n${line}\n`)
}

const scope = Scope.makeUnsafe()
