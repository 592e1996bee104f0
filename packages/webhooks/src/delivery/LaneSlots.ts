import { endpointShare } from "@surety/core/event/DeliveryQueue"
import type { EndpointId } from "@surety/core/Ids"
import { Clock, Duration, Effect, Metric } from "effect"
import type { LaneSettings } from "../WebhookSettings.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** How many attempts a lane has under way, and for how many more there is room. */
export interface LaneSlots {
  /** For how many more attempts there is room now. */
  readonly free: Effect.Effect<number>
  /**
   * Takes a slot, now, for an attempt at an endpoint, which is then run within what is answered. The slot is free again
   * when that ends; then `onFree` is told, where something may have waited for it.
   */
  readonly take: (
    endpointId: EndpointId
  ) => Effect.Effect<<A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>
  /** Whether the endpoint may have more attempts of this lane's than are under way there. */
  readonly hasRoomAt: (endpointId: EndpointId) => boolean
}

/** Less than a claim takes of an endpoint where so many are due (`endpointShare`): with fewer under way, none was left. */
const busyAt = endpointShare / 2

/**
 * The endpoints at which more may be due than is under way: those that have had so many attempts under way since they last
 * had none. What was due at any other was all claimed when it was found.
 */
class BusyEndpoints {
  readonly #busyAt: number
  readonly #underWay = new Map<EndpointId, number>()
  readonly #busy = new Set<EndpointId>()

  constructor(busyAt: number) {
    this.#busyAt = busyAt
  }

  underWay(id: EndpointId): number {
    return this.#underWay.get(id) ?? 0
  }

  begin(id: EndpointId): void {
    const underWay = this.underWay(id) + 1
    this.#underWay.set(id, underWay)
    if (underWay >= this.#busyAt) this.#busy.add(id)
  }

  /** Whether it was busy until then. */
  end(id: EndpointId): boolean {
    const underWay = this.underWay(id) - 1
    if (underWay > 0) {
      this.#underWay.set(id, underWay)
      return this.#busy.has(id)
    }
    this.#underWay.delete(id)
    return this.#busy.delete(id)
  }
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
  { concurrency, perEndpoint, slow }: LaneSettings,
  onFree: Effect.Effect<unknown>
): LaneSlots => {
  const gauge = Metric.withAttributes(WebhookMetrics.underWay, { lane })
  const slowAfterMillis = slow === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(slow.after)
  const slowLimit = slow?.limit ?? 0
  // In the order in which they began, so that the slow ones stand in front.
  const holders = new Set<Holder>()
  const slowOnes = new Set<Holder>()
  const endpoints = new BusyEndpoints(Math.min(busyAt, perEndpoint))
  let wasFull = false
  const measure = Effect.suspend(() => Metric.update(gauge, holders.size + slowOnes.size))

  const letSlowGo = (nowMillis: number): void => {
    for (const holder of holders) {
      if (nowMillis - holder.sinceMillis < slowAfterMillis || slowOnes.size >= slowLimit) return
      holders.delete(holder)
      slowOnes.add(holder)
    }
  }

  const free = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    letSlowGo(nowMillis)
    wasFull = holders.size >= concurrency
    return Math.max(0, concurrency - holders.size)
  })

  const take = (endpointId: EndpointId) =>
    Effect.map(Clock.currentTimeMillis, (sinceMillis) => {
      const holder: Holder = { sinceMillis }
      holders.add(holder)
      endpoints.begin(endpointId)
      const end = Effect.suspend(() => {
        holders.delete(holder)
        slowOnes.delete(holder)
        const wasBusy = endpoints.end(endpointId)
        return wasFull || wasBusy ? Effect.andThen(measure, onFree) : measure
      })
      return <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.ensuring(Effect.andThen(measure, attempt), end)
    })

  return { free, take, hasRoomAt: (endpointId) => endpoints.underWay(endpointId) < perEndpoint }
}
