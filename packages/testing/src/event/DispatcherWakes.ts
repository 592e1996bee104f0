import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect, Option } from "effect"
import { Alone } from "../Alone.js"

/** Maximum time to wait for the signal after the effect ends. */
const patience = "250 millis"

/**
 * Runs the effect. Returns true if the dispatcher is signalled during the effect, or within `patience` after the effect
 * ends. The law must run alone, since another law's commit can also signal the dispatcher.
 */
export const signalled = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  yield* Alone
  const signal = yield* DeliverySignal
  yield* signal.notify
  yield* signal.wait
  yield* self
  return Option.isSome(yield* Effect.timeoutOption(signal.wait, patience))
})
