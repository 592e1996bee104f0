import { Duration, Effect, Layer, Schedule } from "effect"
import { Consents } from "./Consents.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** How often what people's pages need no more is forgotten. */
export const forgetEvery = Duration.minutes(1)

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

/** The same for the pages of people: forgets links and codes whose time is up. */
export const layerPages: Layer.Layer<never, never, PersonConsents> = Layer.effectDiscard(
  Effect.gen(function* () {
    const person = yield* PersonConsents
    const round = person.sweep.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Upkeep of consent pages failed; trying again", cause))
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(forgetEvery)))
  })
)
