import { Duration, Effect } from "effect"
import * as Worker from "../Worker.js"
import { ConsentSweep } from "./ConsentSweep.js"
import { PersonConsents } from "./link/PersonConsents.js"

/** Interval between deletions of expired links and codes. */
export const forgetEvery = Duration.minutes(1)

/** Interval between rounds of upkeep. */
export const sweepEvery = Duration.seconds(10)

/**
 * Consent's upkeep: records expiries, deletes old stored responses, and sends due notifications. Those include
 * notifications that a crash left unsent.
 */
export const worker = Worker.make(
  { name: "Consent upkeep", every: sweepEvery },
  Effect.flatMap(ConsentSweep, ({ sweep }) => sweep)
)

/** Upkeep for the hosted pages: deletes expired links and codes. */
export const pageWorker = Worker.make(
  { name: "Consent page upkeep", every: forgetEvery },
  Effect.flatMap(PersonConsents, ({ sweep }) => sweep)
)
