import { Duration, Effect, Layer, Schedule } from "effect"
import { ConsentSweep } from "./ConsentSweep.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** How often expired links and codes are deleted. */
export const forgetEvery = Duration.minutes(1)

/** How often upkeep is done. */
export const sweepEvery = Duration.seconds(10)

/**
 * Runs consent's upkeep in the background until its scope closes: expiries, notifications that a crash left unsent,
 * answers that are no longer kept. If the store fails, the next round tries again.
 */
export const layer: Layer.Layer<never, never, ConsentSweep> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sweep } = yield* ConsentSweep
    const round = sweep.pipe(Effect.catchCause((cause) => Effect.logWarning("Consent upkeep failed; retrying", cause)))
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(sweepEvery)))
  })
)

/** The same for the pages: deletes expired links and codes. */
export const layerPages: Layer.Layer<never, never, PersonConsents> = Layer.effectDiscard(
  Effect.gen(function* () {
    const person = yield* PersonConsents
    const round = person.sweep.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Consent page upkeep failed; retrying", cause))
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(forgetEvery)))
  })
)
