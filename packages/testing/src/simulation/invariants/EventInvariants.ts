import type { DomainEvent, Topic } from "@surety/core/event/DomainEvent"
import type { EndpointId } from "@surety/core/Ids"
import { isVerificationOpen } from "@surety/core/kyc/verification/Verification"
import { isOf } from "@surety/core/memory/MemoryState"
import { DateTime } from "effect"
import { type Cluster, mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

/** Whether the record that an event reports is stored, in the state that the event reports. */
const isTrue = (world: World, topic: Topic, cause: string): boolean => {
  const { state } = world
  switch (topic) {
    case "transaction.settled":
      return [...state.payments.values()].some(({ id, status }) => id === cause && status === "SETTLED")
    case "refund.completed":
      return [...state.refunds.values()].some(({ refund }) => refund.id === cause && refund.status === "COMPLETED")
    case "refund.failed":
      return [...state.refunds.values()].some(({ refund }) => refund.id === cause && refund.status === "FAILED")
    case "merchant.identity.consent_revoked":
      return [...state.grants.values()].some(({ id, status }) => id === cause && status === "REVOKED")
    case "merchant.identity.consent_expired":
      return [...state.grants.values()].some(({ id, status }) => id === cause && status === "EXPIRED")
    case "merchant.identity.request.expired":
      return [...state.dataRequests.values()].some(
        ({ request }) => request.id === cause && request.status === "EXPIRED"
      )
    case "kyc.verification.completed":
      return [...state.verifications.values()].some(
        ({ verification }) => verification.id === cause && !isVerificationOpen(verification.status)
      )
    // No record keeps these facts.
    case "endpoint.disabled":
    case "merchant.identity.data_changed":
      return true
    case "merchant.identity.consent_granted":
      return [...state.grants.keys()].some((id) => id === cause)
    case "merchant.identity.request.approved":
      return [...state.dataRequests.values()].some(
        ({ request }) => request.id === cause && request.status === "APPROVED"
      )
    case "merchant.identity.request.denied":
      return [...state.dataRequests.values()].some(({ request }) => request.id === cause && request.status === "DENIED")
  }
}

/** What may happen to one record more than once. */
const repeated: ReadonlySet<Topic> = new Set<Topic>(["endpoint.disabled", "merchant.identity.data_changed"])

/** What an erasure leaves of an event; its body loses the person's id. */
const lasting = ["id", "merchantId", "environment", "topic", "occurredAt"] as const satisfies ReadonlyArray<
  keyof DomainEvent
>

/** Each event reports a committed fact, and each fact has one event. */
const watchEvents = (world: World): void => {
  const { state } = world
  const told = new Map<string, string>()
  const fresh = new Set<string>()
  observe(state.events, (id, before, after) => {
    const isRenamed = world.erasing !== undefined && before !== undefined && after !== undefined
    if (isRenamed && isSameIn(world, before.event, after.event, lasting)) return
    if (before !== undefined || after === undefined) {
      return world.violate("told_iff_committed", `${world.nameOf(id)} was changed or deleted`)
    }
    const fact = `${after.event.topic} ${after.cause}`
    world.reach(`event ${after.event.topic}`)
    world.require(
      !told.has(fact) || repeated.has(after.event.topic),
      "told_iff_committed",
      () => `${after.event.topic} of ${world.nameOf(after.cause)} is told twice`
    )
    told.set(fact, id)
    fresh.add(id)
  })
  world.afterStep(() => {
    if (fresh.size === 0) return
    for (const stored of state.events.values()) {
      const { cause, event } = stored
      if (!fresh.has(event.id)) continue
      world.require(
        event.testFor !== undefined || isTrue(world, event.topic, cause),
        "told_iff_committed",
        () => `${event.topic} tells of ${world.nameOf(cause)}, which is not so`
      )
      for (const endpoint of state.endpoints.values()) {
        const isFor = ({ id, topics }: typeof endpoint) =>
          event.testFor === undefined ? topics.some((one) => one === event.topic) : event.testFor === id
        const isMeant = endpoint.status === "ENABLED" && isOf(endpoint, event) && isFor(endpoint)
        const delivery = state.deliveries.get(`${event.id}/${endpoint.id}`)
        world.require(
          isMeant === (delivery !== undefined),
          "told_iff_committed",
          () =>
            `${world.nameOf(endpoint.id)} ${isMeant ? "has no delivery of" : "is not to get"} ${world.nameOf(event.id)}`
        )
      }
    }
    fresh.clear()
  })
  world.atRest(() => {
    const missing = [...state.payments.values()]
      .filter(({ id, status }) => status === "SETTLED" && !told.has(`transaction.settled ${id}`))
      .map(({ id }) => id)
    world.require(missing.length === 0, "told_iff_committed", () => `${missing.length} settled payments are not told`)
  })
}

/** A delivery is with one sender at a time, and ends as its receiver said. */
const watchDeliveries = (world: World, cluster: Cluster): void => {
  const { state } = world
  const spared = new Set<EndpointId>()
  observe(state.endpoints, (id, _, after) => {
    if (after?.status !== "ENABLED") spared.add(id)
  })
  observe(state.deliveries, (_, before, after) => {
    // Removing an endpoint removes what was still to be sent to it.
    if (after === undefined) return
    const { endpointId, eventId, id, status } = after.delivery
    const name = () => `${world.nameOf(eventId)} to ${world.nameOf(endpointId)}`
    checkMove(world, "delivery", id, before?.delivery.status, status)
    if (status === "DELIVERED") {
      world.require(
        cluster.receivers.hasTaken(endpointId, eventId),
        "told_iff_committed",
        () => `${name()} counts as delivered and never was`
      )
    }
    if (before === undefined) return
    world.require(after.fence >= before.fence, "one_holder", () => `the fence of ${name()} fell`)
    world.require(
      isSameIn(world, before.delivery, after.delivery, ["id", "eventId", "endpointId", "merchantId", "createdAt"]),
      "lifecycle",
      () => `${name()} changed`
    )
    world.require(
      after.attempts.length >= before.attempts.length,
      "lifecycle",
      () => `${name()} lost the record of an attempt`
    )
    const { leasedUntil } = before
    const isTaken = after.fence > before.fence && after.leasedUntil !== undefined
    if (!isTaken || leasedUntil === undefined || before.delivery.status !== "PENDING") return
    world.require(
      DateTime.toEpochMillis(leasedUntil) <= world.nowMillis + 2 * mostSkewMillis,
      "one_holder",
      () => `${name()} was leased while another sender had it`
    )
  })
  world.atRest(() => {
    for (const { delivery } of state.deliveries.values()) {
      const { endpointId, eventId, status } = delivery
      const attempts = delivery.environment === "TEST" ? 5 : 10
      if (state.endpoints.get(endpointId)?.status !== "ENABLED") continue
      const name = () => `${world.nameOf(eventId)} to ${world.nameOf(endpointId)}`
      world.require(status !== "PENDING", "nothing_open_for_ever", () => `${name()} is still to be sent`)
      // All attempts end days after faults have stopped, so only a disabled endpoint misses an event.
      if (status === "FAILED" && !spared.has(endpointId)) {
        world.require(delivery.attempts >= attempts, "told_iff_committed", () => `${name()} was given up early`)
      }
    }
  })
}

/** Events: nothing told that did not commit, nothing committed that is never told. */
export const watchTelling = (world: World, cluster: Cluster): void => {
  watchEvents(world)
  watchDeliveries(world, cluster)
}
