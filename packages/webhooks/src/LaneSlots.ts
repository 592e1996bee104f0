import { Clock, Duration, Effect, Metric } from "effect"
import * as WebhookMetrics from "./WebhookMetrics.js"
import type { LaneSettings } from "./WebhookSettings.js"

/** How many attempts a lane has under way, and for how many more there is room. */
export interface LaneSlots {
  /** How many attempts are under way, with a slot or without. */
  readonly underWay: () => number
  /** For how many more attempts there is room now. */
  readonly free: Effect.Effect<number>
  /**
   * Takes a slot, now, for an attempt that is then run within what is answered. The slot is free again when that ends;
   * then `onFree` is told.
   */
  readonly take: Effect.Effect<<A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>
}

/** An attempt that holds a slot. */
interface Holder {
  readonly sinceMillis: number
}

/**
 * The slots of a lane. A receiver that hangs answers nothing for the whole of an attempt's timeout; held for so long, all
 * slots could be with such receivers. So an attempt that is slow goes on without its slot, as long as there are few
 * enough of the kind. Nothing waits for the moment that it becomes slow: the lane looks whenever it asks for room.
 */
export const make = (
  lane: "steady" | "failing",
  { concurrency, slow }: LaneSettings,
  onFree: Effect.Effect<unknown>
): LaneSlots => {
  const gauge = Metric.withAttributes(WebhookMetrics.underWay, { lane })
  const slowAfterMillis = slow === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(slow.after)
  const slowLimit = slow?.limit ?? 0
  // In the order in which they began, so that the slow ones stand in front.
  const holders = new Set<Holder>()
  const slowOnes = new Set<Holder>()
  const underWay = (): number => holders.size + slowOnes.size
  const measure = Effect.suspend(() => Metric.update(gauge, underWay()))

  const letSlowGo = (nowMillis: number): void => {
    for (const holder of holders) {
      if (nowMillis - holder.sinceMillis < slowAfterMillis || slowOnes.size >= slowLimit) return
      holders.delete(holder)
      slowOnes.add(holder)
    }
  }

  const free = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    letSlowGo(nowMillis)
    return Math.max(0, concurrency - holders.size)
  })

  const take = Effect.map(Clock.currentTimeMillis, (sinceMillis) => {
    const holder: Holder = { sinceMillis }
    holders.add(holder)
    const end = Effect.suspend(() => {
      holders.delete(holder)
      slowOnes.delete(holder)
      return Effect.andThen(measure, onFree)
    })
    return <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.ensuring(Effect.andThen(measure, attempt), end)
  })

  return { underWay, free, take }
}
