import { Context, Effect, Latch, Layer } from "effect"

/**
 * Wakes the dispatcher of this process as soon as a commit has left something to deliver, so that the first attempt
 * does not wait for the next poll. A signal that is lost costs no more than that wait.
 */
export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    /** Called by stores after a commit that made deliveries. */
    readonly notify: Effect.Effect<void>
    /** Waits for the next `notify`, or returns at once when there was one since the last wait ended. */
    readonly wait: Effect.Effect<void>
  }
>()("@surety/core/event/DeliverySignal") {}

export const layer: Layer.Layer<DeliverySignal> = Layer.sync(DeliverySignal, () => {
  const latch = Latch.makeUnsafe(false)
  return DeliverySignal.of({
    notify: Effect.asVoid(latch.open),
    wait: Effect.andThen(latch.await, latch.close).pipe(Effect.asVoid)
  })
})
