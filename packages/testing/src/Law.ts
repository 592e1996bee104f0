import { it } from "@effect/vitest"
import { Effect, type Layer, Scope, Semaphore } from "effect"
import { Alone } from "./Alone.js"
import { freshMoment, Past } from "./Past.js"

/**
 * A statement that every adapter of a port must satisfy, and the effect that fails if it does not. `R` names the ports
 * it uses. It creates its own records, so it can be repeated on a database that keeps its rows, in any order, while
 * other laws of the same process use the same store.
 */
export interface Law<out R> {
  readonly name: string
  readonly body: Effect.Effect<void, unknown, R | Scope.Scope>
}

type Body<R> = Effect.Effect<void, unknown, R | Scope.Scope | Past>

type AloneBody<R> = Effect.Effect<void, unknown, R | Scope.Scope | Past | Alone>

/** More laws than ever run at once. */
const everyPlace = 1_000_000

const places = Semaphore.makeUnsafe(everyPlace)

const pasts = Semaphore.makeUnsafe(1)

/** Gives up the past and the places last, after what the body created was removed. */
const lawWith =
  (placesTaken: number) =>
  <R>(name: string, body: Body<R>): Law<R> => {
    const run = Effect.gen(function* () {
      const outer = yield* Effect.scope
      const moment = yield* Effect.cached(Effect.andThen(Scope.provide(pasts.takeScoped(1), outer), freshMoment))
      yield* Effect.scoped(Effect.provideService(body, Past, { moment }))
    })
    return { name, body: places.withPermits(placesTaken)(Effect.scoped(run)) }
  }

/** A law that other laws may run beside: it looks only at its own records, or at those of the past (`Fresh.longAgo`). */
export const law: <R>(name: string, body: Body<R>) => Law<R> = lawWith(1)

const inEveryPlace = lawWith(everyPlace)

/** A law about what all of a store's users share, such as a total or a signal: no other law runs meanwhile. */
export const lawAlone = <R>(name: string, body: AloneBody<R>): Law<R> =>
  inEveryPlace(name, Effect.provideService(body, Alone, true))

const timeoutMillis = 60_000

/**
 * Turns a port's laws into an adapter's tests: `suite("postgres", PgStores.layer)` in a test file. Builds the layer once
 * and runs the laws in the order given, with the real clock.
 */
export const suiteOf =
  <R>(port: string, laws: ReadonlyArray<Law<R>>) =>
  (adapter: string, layer: Layer.Layer<R, unknown>): void =>
    it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })(`${port} (${adapter})`, (it) => {
      for (const { body, name } of laws) it.effect(name, () => body, timeoutMillis)
    })
