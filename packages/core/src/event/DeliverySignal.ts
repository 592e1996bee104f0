import { Context, Effect, Latch, Layer } from "effect"

/**
 * Wakes this process's dispatcher after a commit that made deliveries due, so that it need not wait for its next poll.
 * If a signal is lost, the next poll finds the deliveries.
 */
export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    /** Call this after a commit that made deliveries due. */
    readonly notify: Effect.Effect<void>
    /** Waits for the next `notify`. Returns immediately if one arrived since the last wait ended. */
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
