import { DateTime, Duration, Effect } from "effect"
import * as Worker from "../Worker.js"
import { HostRefunds } from "./HostRefunds.js"

/** Interval between two recoveries. */
export const recoverEvery = Duration.seconds(10)

/** Age from which a pending refund counts as abandoned. */
export const leftBehindAfter = Duration.seconds(20)

/** Completes refunds that a crash left pending, without a retry by the merchant (contract 6: within 60 seconds). */
export const worker = Worker.make(
  { name: "Recovery of pending refunds", every: recoverEvery },
  Effect.gen(function* () {
    const refunds = yield* HostRefunds
    const now = yield* DateTime.now
    yield* refunds.recover(DateTime.subtractDuration(now, leftBehindAfter))
  })
)
