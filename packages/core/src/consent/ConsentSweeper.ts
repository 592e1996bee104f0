import { Duration, Effect } from "effect"
import * as Worker from "../Worker.js"
import { ConsentSweep } from "./ConsentSweep.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** How often expired links and codes are deleted. */
export const forgetEvery = Duration.minutes(1)

/** How often upkeep is done. */
export const sweepEvery = Duration.seconds(10)

/** Consent's upkeep: expiries, notifications that a crash left unsent, answers that are no longer kept. */
export const worker = Worker.make(
  { name: "Consent upkeep", every: sweepEvery },
  Effect.flatMap(ConsentSweep, ({ sweep }) => sweep)
)

/** The same for the pages: deletes expired links and codes. */
export const pageWorker = Worker.make(
  { name: "Consent page upkeep", every: forgetEvery },
  Effect.flatMap(PersonConsents, ({ sweep }) => sweep)
)
