import type { StoreError } from "@surety/core/StoreError"
import { Effect } from "effect"

/** Logs a store outage twice: when it begins and when it ends. */
export class StoreOutage {
  #isOut = false

  /** Returns an effect that also logs the first failure of an outage and the first success after it. */
  watch<A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> {
    return effect.pipe(
      Effect.tap(() => this.#ended()),
      Effect.tapError((error) => this.#began(error))
    )
  }

  #began(error: StoreError): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#isOut) return Effect.void
      this.#isOut = true
      return Effect.logError("Webhook store failed; retrying").pipe(
        Effect.annotateLogs({ operation: error.operation, reason: error.reason._tag })
      )
    })
  }

  #ended(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (!this.#isOut) return Effect.void
      this.#isOut = false
      return Effect.logInfo("Webhook store recovered")
    })
  }
}
