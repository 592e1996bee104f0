import { DateTime, Duration, Effect } from "effect"
import * as Worker from "../Worker.js"
import { HostRefunds } from "./HostRefunds.js"

/** Interval between rounds of recovery. */
export const recoverEvery = Duration.seconds(10)

/** Age from which a pending refund counts as abandoned, unless it is leased. */
export const leftBehindAfter = Duration.seconds(20)

/**
 * Settles abandoned pending refunds, so that the merchant need not retry. After a crash, this takes at most 60 seconds
 * if the wallet responds (contract 6).
 */
export const worker = Worker.make(
  { name: "Refund recovery", every: recoverEvery },
  Effect.gen(function* () {
    const refunds = yield* HostRefunds
    const now = yield* DateTime.now
    yield* refunds.recover(DateTime.subtractDuration(now, leftBehindAfter))
  })
)
