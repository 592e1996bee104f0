import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Scope, Semaphore } from "effect"
import { Alone } from "./Alone.js"
import { freshMoment, Past } from "./Past.js"

/**
 * A promise of a port, and an effect that fails if an adapter breaks the promise. `R` is the ports that the effect
 * uses. A law creates its own records, so it can run repeatedly on a database that keeps its rows. Laws can be started
 * in any order, and concurrently within a process.
 */
export interface Law<out R> {
  readonly name: string
  readonly body: Effect.Effect<void, unknown, R | Scope.Scope>
}

type Body<R> = Effect.Effect<void, unknown, R | Scope.Scope | Past>

type AloneBody<R> = Effect.Effect<void, unknown, R | Scope.Scope | Past | Alone>

/**
 * Total number of permits. A law takes one, or all of them to run alone. The total exceeds the number of laws that ever
 * run concurrently.
 */
const everyPlace = 1_000_000

const places = Semaphore.makeUnsafe(everyPlace)

const pasts = Semaphore.makeUnsafe(1)

/**
 * Builds a law that takes `placesTaken` permits. Holds them, and exclusive use of `Past` if the body reads it, until
 * the body's finalizers have run.
 */
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

/**
 * Builds a law that runs alongside others. Its body may read only its own records, or records at past times
 * (`Fresh.longAgo`).
 */
export const law: <R>(name: string, body: Body<R>) => Law<R> = lawWith(1)

const inEveryPlace = lawWith(everyPlace)

/** Builds a law about state that all users of a store share, such as a total or a signal. It runs alone. */
export const lawAlone = <R>(name: string, body: AloneBody<R>): Law<R> =>
  inEveryPlace(name, Effect.provideService(body, Alone, true))

/**
 * Fails unless the commit `self` fails. Errors and defects both count, since adapters may report a violated constraint
 * as either. The law itself must check that nothing was stored.
 */
export const expectFailure = Effect.fnUntraced(function* <A, E, R>(what: string, self: Effect.Effect<A, E, R>) {
  assert.isTrue(Exit.isFailure(yield* Effect.exit(self)), `${what} must fail`)
})

/** A law's timeout, longer than `HeldBack.Patience` because a law may wait that long. */
const timeoutMillis = 120_000

/**
 * Returns the `suite` of a port, which registers its laws as an adapter's tests. The suite builds the layer once,
 * within `startMillis`. It runs the laws in the given order, with the real clock.
 */
export const suiteOf =
  <R>(port: string, laws: ReadonlyArray<Law<R>>) =>
  (adapter: string, layer: Layer.Layer<R, unknown>, startMillis = timeoutMillis): void =>
    it.layer(layer, { timeout: startMillis, excludeTestServices: true })(`${port} (${adapter})`, (it) => {
      for (const { body, name } of laws) it.effect(name, () => body, timeoutMillis)
    })
