import { Duration, Effect, Layer, Schedule } from "effect"
import { ConsentSweep } from "./ConsentSweep.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** How often expired links and codes are deleted. */
export const forgetEvery = Duration.minutes(1)

/** How often upkeep is done. */
export const sweepEvery = Duration.seconds(10)

/**
 * Consent's upkeep: expiries, notifications that a crash left unsent, answers that are no longer kept. Never fails: what
 * failed is logged, and done next time.
 */
export const round: Effect.Effect<void, never, ConsentSweep> = Effect.flatMap(ConsentSweep, ({ sweep }) => sweep).pipe(
  Effect.asVoid,
  Effect.catchCause((cause) => Effect.logWarning("Consent upkeep failed; retrying", cause))
)

/** The same for the pages: deletes expired links and codes. */
export const roundOfPages: Effect.Effect<void, never, PersonConsents> = Effect.flatMap(
  PersonConsents,
  ({ sweep }) => sweep
).pipe(
  Effect.asVoid,
  Effect.catchCause((cause) => Effect.logWarning("Consent page upkeep failed; retrying", cause))
)

/** Repeats `round` in the background until its scope closes. */
export const layer: Layer.Layer<never, never, ConsentSweep> = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(round, Schedule.spaced(sweepEvery)))
)

/** Repeats `roundOfPages` in the background until its scope closes. */
export const layerPages: Layer.Layer<never, never, PersonConsents> = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(roundOfPages, Schedule.spaced(forgetEvery)))
)
