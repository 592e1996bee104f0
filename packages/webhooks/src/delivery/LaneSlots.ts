import { endpointShare } from "@surety/core/event/DeliveryQueue"
import type { EndpointId } from "@surety/core/Ids"
import { Clock, Duration, Effect, Metric } from "effect"
import type { LaneSettings } from "../WebhookSettings.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** Tracks a lane's attempts in flight and its free slots. */
export interface LaneSlots {
  /** Number of attempts that may start now. */
  readonly free: Effect.Effect<number>
  /**
   * Takes a slot without checking that one is free. Run the attempt inside the returned wrapper, which frees the slot
   * when the attempt ends. The lane's `onFree` then runs if a delivery may have been waiting for the slot.
   */
  readonly take: (
    endpointId: EndpointId
  ) => Effect.Effect<<A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>
  /** True if this lane has fewer than `perEndpoint` attempts in flight at the endpoint. */
  readonly hasRoomAt: (endpointId: EndpointId) => boolean
}

/**
 * Number of attempts in flight from which an endpoint counts as busy: it may have more deliveries due. Capped at
 * `perEndpoint`. Even if other endpoints wait, a claim takes up to `endpointShare` deliveries of one endpoint. An
 * endpoint with fewer than half of `endpointShare` in flight probably has no more due.
 */
const busyAt = endpointShare / 2

/**
 * Endpoints that may have due deliveries beyond those in flight. An endpoint becomes busy at `busyAt` attempts in
 * flight, and stays busy until none is in flight.
 */
class BusyEndpoints {
  readonly #busyAt: number
  readonly #inFlight = new Map<EndpointId, number>()
  readonly #busy = new Set<EndpointId>()

  constructor(busyAt: number) {
    this.#busyAt = busyAt
  }

  inFlight(id: EndpointId): number {
    return this.#inFlight.get(id) ?? 0
  }

  begin(id: EndpointId): void {
    const inFlight = this.inFlight(id) + 1
    this.#inFlight.set(id, inFlight)
    if (inFlight >= this.#busyAt) this.#busy.add(id)
  }

  /** Records the end of an attempt. Returns true if the endpoint was busy. */
  end(id: EndpointId): boolean {
    const inFlight = this.inFlight(id) - 1
    if (inFlight > 0) {
      this.#inFlight.set(id, inFlight)
      return this.#busy.has(id)
    }
    this.#inFlight.delete(id)
    return this.#busy.delete(id)
  }
}

/** An attempt in flight. A slow one may have given up its slot. */
interface Occupant {
  readonly sinceMillis: number
}

/**
 * Makes the slots of a lane. An attempt at a hanging receiver stays in flight for its full timeout, so such attempts
 * could occupy every slot. A slow attempt therefore gives up its slot and continues without one, up to `slow.limit` at
 * a time. No timer watches for slow attempts: the lane checks whenever it counts its free slots.
 */
export const make = (
  lane: "steady" | "failing",
  { concurrency, perEndpoint, slow }: LaneSettings,
  onFree: Effect.Effect<unknown>
): LaneSlots => {
  const gauge = Metric.withAttributes(WebhookMetrics.inFlight, { lane })
  const slowAfterMillis = slow === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(slow.after)
  const slowLimit = slow?.limit ?? 0
  // In start order, so the longest-running attempts come first.
  const occupants = new Set<Occupant>()
  const slowOnes = new Set<Occupant>()
  const endpoints = new BusyEndpoints(Math.min(busyAt, perEndpoint))
  let wasFull = false
  const measure = Effect.suspend(() => Metric.update(gauge, occupants.size + slowOnes.size))

  const letSlowGo = (nowMillis: number): void => {
    for (const occupant of occupants) {
      if (nowMillis - occupant.sinceMillis < slowAfterMillis || slowOnes.size >= slowLimit) return
      occupants.delete(occupant)
      slowOnes.add(occupant)
    }
  }

  const free = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    letSlowGo(nowMillis)
    wasFull = occupants.size >= concurrency
    return Math.max(0, concurrency - occupants.size)
  })

  const take = (endpointId: EndpointId) =>
    Effect.map(Clock.currentTimeMillis, (sinceMillis) => {
      const occupant: Occupant = { sinceMillis }
      occupants.add(occupant)
      endpoints.begin(endpointId)
      const end = Effect.suspend(() => {
        occupants.delete(occupant)
        slowOnes.delete(occupant)
        const wasBusy = endpoints.end(endpointId)
        return wasFull || wasBusy ? Effect.andThen(measure, onFree) : measure
      })
      return <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.ensuring(Effect.andThen(measure, attempt), end)
    })

  return { free, take, hasRoomAt: (endpointId) => endpoints.inFlight(endpointId) < perEndpoint }
}
