import { it } from "@effect/vitest"
import type { Effect, Layer, Scope } from "effect"

/**
 * A sentence that every adapter of a port makes true, and the effect that fails where it is not. `R` names the ports
 * that it speaks of. It makes records of its own, so it can be run again on a database that keeps its rows.
 */
export interface Law<out R> {
  readonly name: string
  readonly body: Effect.Effect<void, unknown, R | Scope.Scope>
}

export const law = <R>(name: string, body: Effect.Effect<void, unknown, R | Scope.Scope>): Law<R> => ({ name, body })

const timeoutMillis = 60_000

/**
 * How a port's laws become an adapter's tests: `suite("postgres", PgStores.layer)` in a test file. The layer is built
 * once; the laws run in the order given, with a clock and a concurrency that are real.
 */
export const suiteOf =
  <R>(port: string, laws: ReadonlyArray<Law<R>>) =>
  (adapter: string, layer: Layer.Layer<R, unknown>): void =>
    it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })(`${port} (${adapter})`, (it) => {
      for (const { body, name } of laws) it.effect(name, () => body, timeoutMillis)
    })
