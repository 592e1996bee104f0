import { Duration, Effect, Layer, Schedule } from "effect"
import { Consents } from "./Consents.js"

/** How often upkeep is done. */
export const sweepEvery = Duration.seconds(10)

/**
 * Does the upkeep of consent on its own: expiries, notices that a crash left unsent, answers whose time is up. Runs until
 * its scope closes; a failing store is tried again next time.
 */
export const layer: Layer.Layer<never, never, Consents> = Layer.effectDiscard(
  Effect.gen(function* () {
    const consents = yield* Consents
    const round = consents.sweep.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Upkeep of consent failed; trying again", cause))
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(sweepEvery)))
  })
)
