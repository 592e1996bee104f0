import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll } from "vitest"

/** The url of an empty PostgreSQL database, dropped when the file's tests are done. */
export const hostDatabase = async (): Promise<string> => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(Layer.buildWithScope(RunDatabase.layer, scope))
  return Redacted.value(Context.get(context, TestDatabase).url)
}
