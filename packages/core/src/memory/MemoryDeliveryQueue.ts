import { DateTime, Effect, Layer } from "effect"
import type { Delivery, DeliveryAttempt } from "../event/Delivery.js"
import {
  type AfterAttempt,
  type DeliveryClaim,
  DeliveryQueue,
  type DeliveryStats,
  type DueDelivery
} from "../event/DeliveryQueue.js"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.js"
import type { EndpointId } from "../Ids.js"
import { deliveryKey, MemoryState, type StoredDelivery } from "./MemoryState.js"

type State = MemoryState["Service"]

const isWithSomebody = ({ leasedUntil }: StoredDelivery, now: DateTime.Utc): boolean =>
  leasedUntil !== undefined && DateTime.isGreaterThan(leasedUntil, now)

/** When the delivery has been due, in milliseconds; `undefined` when it is not, or is with a sender. */
const dueSince = (stored: StoredDelivery, now: DateTime.Utc): number | undefined => {
  const { nextAttemptAt, status } = stored.delivery
  if (status !== "PENDING" || nextAttemptAt === undefined || isWithSomebody(stored, now)) return undefined
  return DateTime.isLessThanOrEqualTo(nextAttemptAt, now) ? DateTime.toEpochMillis(nextAttemptAt) : undefined
}

const dueOf = (state: State, now: DateTime.Utc): ReadonlyArray<StoredDelivery> =>
  [...state.deliveries.values()]
    .flatMap((stored) => {
      const since = dueSince(stored, now)
      return since === undefined ? [] : [{ stored, since }]
    })
    .sort((a, b) => a.since - b.since || (a.stored.delivery.id < b.stored.delivery.id ? -1 : 1))
    .map(({ stored }) => stored)

/** How many deliveries of each endpoint are with senders. */
const withSenders = (state: State, now: DateTime.Utc): Map<EndpointId, number> => {
  const counts = new Map<EndpointId, number>()
  for (const stored of state.deliveries.values()) {
    const { endpointId, status } = stored.delivery
    if (status === "PENDING" && isWithSomebody(stored, now)) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
  }
  return counts
}

const isAskedFor = ({ failingSince, status }: WebhookEndpoint, { failing }: DeliveryClaim): boolean =>
  status === "ENABLED" && (failing === undefined || failing === (failingSince !== undefined))

const claimed = (state: State, claim: DeliveryClaim): ReadonlyArray<DueDelivery> => {
  const busy = withSenders(state, claim.now)
  const taken: Array<DueDelivery> = []
  for (const stored of dueOf(state, claim.now)) {
    const { delivery } = stored
    if (taken.length >= claim.limit) break
    const endpoint = state.endpoints.get(delivery.endpointId)
    const event = state.events.get(delivery.eventId)?.event
    const atOnce = busy.get(delivery.endpointId) ?? 0
    if (endpoint === undefined || event === undefined) continue
    if (!isAskedFor(endpoint, claim) || atOnce >= claim.perEndpoint) continue
    const fence = stored.fence + 1
    busy.set(endpoint.id, atOnce + 1)
    state.deliveries.set(deliveryKey(event.id, endpoint.id), { ...stored, fence, leasedUntil: claim.leaseUntil })
    taken.push({ delivery, event, endpoint, fence })
  }
  return taken
}

/** The delivery that is still with the holder of `due`. */
const heldBy = (state: State, { delivery, fence }: DueDelivery): StoredDelivery | undefined => {
  const stored = state.deliveries.get(deliveryKey(delivery.eventId, delivery.endpointId))
  return stored?.delivery.status === "PENDING" && stored.fence === fence && stored.leasedUntil !== undefined
    ? stored
    : undefined
}

const moved = (stored: Delivery, after: AfterAttempt): Delivery => {
  const { nextAttemptAt: _, ...rest } = stored
  const delivery = { ...rest, attempts: stored.attempts + 1 }
  switch (after._tag) {
    case "Delivered":
      return { ...delivery, status: "DELIVERED" }
    case "Retry":
      return { ...delivery, nextAttemptAt: after.at }
    case "GiveUp":
    case "DisableEndpoint":
      return { ...delivery, status: "FAILED" }
  }
}

const noted = (stored: WebhookEndpoint, attempt: DeliveryAttempt, after: AfterAttempt): WebhookEndpoint => {
  const { failingSince, ...endpoint } = stored
  if (after._tag === "Delivered") return endpoint
  const failing = { ...endpoint, failingSince: failingSince ?? attempt.startedAt }
  if (after._tag !== "DisableEndpoint") return failing
  const updatedAt = DateTime.add(attempt.startedAt, { milliseconds: attempt.durationMillis })
  return { ...failing, status: "DISABLED", disabledReason: after.reason, updatedAt }
}

const statsOf = (state: State, now: DateTime.Utc, countLimit: number): DeliveryStats => {
  const due = [...state.deliveries.values()].flatMap(({ delivery: { endpointId, nextAttemptAt } }) =>
    nextAttemptAt !== undefined &&
    DateTime.isLessThanOrEqualTo(nextAttemptAt, now) &&
    state.endpoints.get(endpointId)?.status === "ENABLED"
      ? [nextAttemptAt]
      : []
  )
  return {
    backlog: Math.min(due.length, countLimit),
    dueSince: due.length === 0 ? undefined : due.reduce(DateTime.min),
    disabledEndpoints: [...state.endpoints.values()].filter(({ status }) => status === "DISABLED").length
  }
}

export const make = (state: State): DeliveryQueue["Service"] =>
  DeliveryQueue.of({
    claim: (claim) => Effect.sync(() => claimed(state, claim)),

    record: (due, attempt, after) =>
      Effect.sync(() => {
        const stored = heldBy(state, due)
        if (stored === undefined) return false
        const { endpointId, eventId } = stored.delivery
        const endpoint = state.endpoints.get(endpointId)
        state.deliveries.set(deliveryKey(eventId, endpointId), {
          ...stored,
          delivery: moved(stored.delivery, after),
          attempts: [...stored.attempts, attempt],
          leasedUntil: undefined
        })
        if (endpoint !== undefined) state.endpoints.set(endpointId, noted(endpoint, attempt, after))
        return true
      }),

    release: (dues) =>
      Effect.sync(() => {
        for (const due of dues) {
          const stored = heldBy(state, due)
          if (stored === undefined) continue
          const { endpointId, eventId } = stored.delivery
          state.deliveries.set(deliveryKey(eventId, endpointId), { ...stored, leasedUntil: undefined })
        }
      }),

    stats: (now, countLimit) => Effect.sync(() => statsOf(state, now, countLimit))
  })

export const layer: Layer.Layer<DeliveryQueue, never, MemoryState> = Layer.effect(
  DeliveryQueue,
  Effect.map(MemoryState, make)
)
