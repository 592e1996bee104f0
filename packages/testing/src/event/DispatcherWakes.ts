import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect, Option } from "effect"
import { Alone } from "../Alone.js"

/** How long a signal may take to come after the commit that it tells of. */
const patience = "250 millis"

/** Runs the effect and returns whether it woke the dispatcher. Any other law's commit would wake it too. */
export const signalled = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  yield* Alone
  const signal = yield* DeliverySignal
  yield* signal.notify
  yield* signal.wait
  yield* self
  return Option.isSome(yield* Effect.timeoutOption(signal.wait, patience))
})
