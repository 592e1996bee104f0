import { Duration, Effect } from "effect"
import * as Worker from "../Worker.js"
import { ConsentSweep } from "./ConsentSweep.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** Interval between rounds of `pageWorker`. */
export const forgetEvery = Duration.minutes(1)

/** Interval between rounds of `worker`. */
export const sweepEvery = Duration.seconds(10)

/**
 * Records expiries, deletes old stored responses, and sends due notifications, including those that a crash left
 * unsent.
 */
export const worker = Worker.make(
  { name: "Consent upkeep", every: sweepEvery },
  Effect.flatMap(ConsentSweep, ({ sweep }) => sweep)
)

/** Deletes expired management links, and code challenges whose window has ended. */
export const pageWorker = Worker.make(
  { name: "Consent page upkeep", every: forgetEvery },
  Effect.flatMap(PersonConsents, ({ sweep }) => sweep)
)
