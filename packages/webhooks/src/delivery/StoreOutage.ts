import type { StoreError } from "@surety/core/StoreError"
import { Effect } from "effect"

/** Tells the operator of an outage of the store twice only: when it begins and when it is over. */
export class StoreOutage {
  #isOut = false

  /** The effect, with its failures and its next success noted. */
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
      return Effect.logError("Webhooks wait for the store, which fails").pipe(
        Effect.annotateLogs({ operation: error.operation, reason: error.reason._tag })
      )
    })
  }

  #ended(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (!this.#isOut) return Effect.void
      this.#isOut = false
      return Effect.logInfo("Webhooks go on: the store answers again")
    })
  }
}
