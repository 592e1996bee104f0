import { DateTime, Duration, Effect, Layer } from "effect"
import type { Delivery, DeliveryAttempt } from "../../event/Delivery.js"
import {
  type AfterAttempt,
  type AfterFailure,
  type AttemptRecorded,
  type DeliveryClaim,
  type DeliveryLane,
  DeliveryQueue,
  type DeliveryStats,
  endpointShare,
  type LaneStats,
  type LeasedDelivery
} from "../../event/DeliveryQueue.js"
import type { WebhookEndpoint } from "../../event/WebhookEndpoint.js"
import type { EndpointId } from "../../Ids.js"
import { deliveryKey, MemoryState, type StoredDelivery } from "../MemoryState.js"
import { append, checkEvent } from "./MemoryOutbox.js"

type State = MemoryState["Service"]

const isWithSomebody = ({ leasedUntil }: StoredDelivery, now: DateTime.Utc): boolean =>
  leasedUntil !== undefined && DateTime.isGreaterThan(leasedUntil, now)

/**
 * Returns the time at which the delivery became due, in epoch milliseconds. Undefined if it is not due, or is leased.
 */
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

/**
 * Orders due deliveries in turns of at most `endpointShare` deliveries per endpoint. `busy` maps an endpoint to the
 * number of its leased deliveries, which count towards its turns.
 */
const byTurns = (
  due: ReadonlyArray<StoredDelivery>,
  busy: ReadonlyMap<EndpointId, number>
): ReadonlyArray<StoredDelivery> => {
  const places = new Map(busy)
  return due
    .map((stored) => {
      const { endpointId } = stored.delivery
      const place = places.get(endpointId) ?? 0
      places.set(endpointId, place + 1)
      return { stored, turn: Math.floor(place / endpointShare) }
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ stored }) => stored)
}

const leasedByEndpoint = (state: State, now: DateTime.Utc): Map<EndpointId, number> => {
  const counts = new Map<EndpointId, number>()
  for (const stored of state.deliveries.values()) {
    const { endpointId, status } = stored.delivery
    if (status === "PENDING" && isWithSomebody(stored, now)) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
  }
  return counts
}

const isAskedFor = ({ failingSince, status }: WebhookEndpoint, { failing }: DeliveryClaim): boolean =>
  status === "ENABLED" && (failing === undefined || failing === (failingSince !== undefined))

const claimsOfLastSecond = (state: State, id: EndpointId, now: DateTime.Utc): ReadonlyArray<DateTime.Utc> => {
  const aSecondAgo = DateTime.subtract(now, { seconds: 1 })
  return (state.claimTimes.get(id) ?? []).filter((at) => DateTime.isGreaterThan(at, aSecondAgo))
}

/**
 * Counts one more delivery against the endpoint's rate limit, if it has one. Returns false, and counts nothing, if the
 * limit is reached.
 */
const takeTurn = (state: State, { id, maxPerSecond }: WebhookEndpoint, now: DateTime.Utc): boolean => {
  if (maxPerSecond === undefined) return true
  const before = claimsOfLastSecond(state, id, now)
  if (before.length >= maxPerSecond) return false
  state.claimTimes.set(id, [...before, now])
  return true
}

const claimed = (state: State, claim: DeliveryClaim): ReadonlyArray<LeasedDelivery> => {
  const busy = leasedByEndpoint(state, claim.now)
  const taken: Array<LeasedDelivery> = []
  for (const stored of byTurns(dueOf(state, claim.now), busy)) {
    const { delivery } = stored
    if (taken.length >= claim.limit) break
    const endpoint = state.endpoints.get(delivery.endpointId)
    const event = state.events.get(delivery.eventId)?.event
    const atOnce = busy.get(delivery.endpointId) ?? 0
    if (endpoint === undefined || event === undefined) continue
    if (!isAskedFor(endpoint, claim) || atOnce >= claim.perEndpoint) continue
    if (!takeTurn(state, endpoint, claim.now)) continue
    const fence = stored.fence + 1
    busy.set(endpoint.id, atOnce + 1)
    state.deliveries.set(deliveryKey(event.id, endpoint.id), { ...stored, fence, leasedUntil: claim.leasedUntil })
    taken.push({ delivery, event, endpoint, fence })
  }
  return taken
}

/** Returns the stored delivery if the lease has not been ended or replaced. An expired lease still counts. */
const heldBy = (state: State, { delivery, fence }: LeasedDelivery): StoredDelivery | undefined => {
  const stored = state.deliveries.get(deliveryKey(delivery.eventId, delivery.endpointId))
  return stored?.delivery.status === "PENDING" && stored.fence === fence && stored.leasedUntil !== undefined
    ? stored
    : undefined
}

/**
 * Replaces a `DisableEndpoint` with its `otherwise`, unless the endpoint still has the `url` of the attempt and has been
 * failing since the time in `onlyIf`, if any.
 */
const onStored = (stored: WebhookEndpoint, url: string, after: AfterAttempt): AfterAttempt => {
  if (after._tag !== "DisableEndpoint") return after
  const { failingSince } = stored
  const isStill =
    after.onlyIf === undefined ||
    (failingSince !== undefined && DateTime.Equivalence(failingSince, after.onlyIf.failingSince))
  return isStill && stored.url === url ? after : after.otherwise
}

const isFailure = (after: AfterAttempt): after is AfterFailure => after._tag === "Retry" || after._tag === "GiveUp"

const moved = (stored: Delivery, after: AfterAttempt): Delivery => {
  const { nextAttemptAt: _, ...rest } = stored
  const delivery = { ...rest, attempts: stored.attempts + 1 }
  if (after._tag === "Delivered") return { ...delivery, status: "DELIVERED" }
  return after._tag === "Retry" ? { ...delivery, nextAttemptAt: after.at } : { ...delivery, status: "FAILED" }
}

const endOf = ({ durationMillis, startedAt }: DeliveryAttempt): DateTime.Utc =>
  DateTime.add(startedAt, { milliseconds: durationMillis })

const noted = (stored: WebhookEndpoint, attempt: DeliveryAttempt, after: AfterAttempt): WebhookEndpoint => {
  const { failingSince, ...endpoint } = stored
  if (after._tag === "Delivered") return endpoint
  const failing = { ...endpoint, failingSince: failingSince ?? attempt.startedAt }
  if (isFailure(after)) return failing
  const at = endOf(attempt)
  const disabledAt = stored.disabledAt ?? at
  return { ...failing, status: "DISABLED", disabledReason: after.reason, disabledAt, updatedAt: at }
}

/**
 * Returns the start of the endpoint's failure and its length in whole days, and records the days as reported. Undefined
 * if the endpoint is not failing, if no whole day has passed, or if that number was already reported.
 */
const noteDays = (state: State, endpoint: WebhookEndpoint, attempt: DeliveryAttempt): AttemptRecorded["failing"] => {
  const { failingSince: since, id } = endpoint
  if (since === undefined) {
    state.failingDays.delete(id)
    return undefined
  }
  const days = Math.floor(Duration.toDays(DateTime.distance(since, endOf(attempt))))
  if (days <= (state.failingDays.get(id) ?? 0)) return undefined
  state.failingDays.set(id, days)
  return { since, days }
}

const note = (state: State, id: EndpointId, attempt: DeliveryAttempt, after: AfterAttempt): AttemptRecorded => {
  const before = state.endpoints.get(id)
  const applied = after._tag
  if (before === undefined) return { applied, disabled: false, failing: undefined }
  const endpoint = noted(before, attempt, after)
  state.endpoints.set(id, endpoint)
  const disabled = before.status === "ENABLED" && endpoint.status === "DISABLED"
  return { applied, disabled, failing: noteDays(state, endpoint, attempt) }
}

const notOurs: AttemptRecorded = { applied: undefined, disabled: false, failing: undefined }

const laneOf = (state: State, endpoint: WebhookEndpoint, now: DateTime.Utc): DeliveryLane => {
  if (endpoint.failingSince !== undefined) return "failing"
  const leased = [...state.deliveries.values()].filter(
    (stored) => stored.delivery.endpointId === endpoint.id && isWithSomebody(stored, now)
  )
  return endpoint.maxPerSecond !== undefined || leased.length >= endpointShare ? "busy" : "steady"
}

const statsOf = (state: State, now: DateTime.Utc, countLimit: number): DeliveryStats => {
  const endpoints = [...state.endpoints.values()]
  const dueIn = (lane: DeliveryLane): LaneStats => {
    const ids = new Set(
      endpoints
        .filter((endpoint) => endpoint.status === "ENABLED" && laneOf(state, endpoint, now) === lane)
        .map(({ id }) => id)
    )
    const due = [...state.deliveries.values()].flatMap(({ delivery: { endpointId, nextAttemptAt } }) =>
      nextAttemptAt !== undefined && DateTime.isLessThanOrEqualTo(nextAttemptAt, now) && ids.has(endpointId)
        ? [nextAttemptAt]
        : []
    )
    return {
      backlog: Math.min(due.length, countLimit),
      dueSince: due.length === 0 ? undefined : due.reduce(DateTime.min)
    }
  }
  return {
    lanes: { steady: dueIn("steady"), busy: dueIn("busy"), failing: dueIn("failing") },
    disabledEndpoints: endpoints.filter(({ status }) => status === "DISABLED").length
  }
}

export const make = (state: State): DeliveryQueue["Service"] =>
  DeliveryQueue.of({
    claim: (claim) => Effect.sync(() => claimed(state, claim)),

    settle: (due, attempt, planned) =>
      Effect.sync(() => {
        const stored = heldBy(state, due)
        if (stored === undefined) return notOurs
        const { endpointId, eventId } = stored.delivery
        const endpoint = state.endpoints.get(endpointId)
        const after = endpoint === undefined ? planned : onStored(endpoint, due.endpoint.url, planned)
        const event = after._tag === "DisableEndpoint" ? after.event : undefined
        if (event !== undefined) checkEvent(state, event)
        state.deliveries.set(deliveryKey(eventId, endpointId), {
          ...stored,
          delivery: moved(stored.delivery, after),
          attempts: [...stored.attempts, attempt],
          leasedUntil: undefined
        })
        const recorded = note(state, endpointId, attempt, after)
        if (recorded.disabled && event !== undefined) append(state, event, endpointId)
        return recorded
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

    stats: (now, countLimit) => Effect.sync(() => statsOf(state, now, countLimit)),

    dueEndpoints: (now, limit, without) =>
      Effect.sync(() => {
        const due = new Set(
          [...state.deliveries.values()].flatMap(({ delivery: { endpointId, nextAttemptAt, status } }) =>
            status === "PENDING" && nextAttemptAt !== undefined && DateTime.isLessThanOrEqualTo(nextAttemptAt, now)
              ? [endpointId]
              : []
          )
        )
        return [...state.endpoints.values()]
          .filter(({ id, status }) => status === "ENABLED" && due.has(id) && !without.includes(id))
          .slice(0, limit)
      })
  })

export const layer: Layer.Layer<DeliveryQueue, never, MemoryState> = Layer.effect(
  DeliveryQueue,
  Effect.map(MemoryState, make)
)
