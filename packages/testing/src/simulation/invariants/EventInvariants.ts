import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { EndpointId } from "@surety/core/Ids"
import { isOf } from "@surety/core/memory/MemoryState"
import { DateTime } from "effect"
import { type Cluster, mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { watchFacts } from "./FactInvariants.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

/** Fields of an event that an erasure leaves unchanged. The body changes, since it loses the person's id. */
const lasting = ["id", "merchantId", "environment", "topic", "occurredAt"] as const satisfies ReadonlyArray<
  keyof DomainEvent
>

/**
 * Checks that stored events change only in an erasure. A new event must have deliveries for exactly those enabled
 * endpoints of its merchant and environment that subscribe to it. A test event must have a delivery only for its own
 * endpoint, if enabled.
 */
const watchEvents = (world: World): void => {
  const { state } = world
  const fresh = new Set<string>()
  observe(state.events, (id, before, after) => {
    const isRenamed = world.erasing !== undefined && before !== undefined && after !== undefined
    if (isRenamed && isSameIn(world, before.event, after.event, lasting)) return
    if (before !== undefined || after === undefined) {
      return world.violate("told_iff_committed", `${world.nameOf(id)} was changed or deleted`)
    }
    world.reach(`event ${after.event.topic}`)
    fresh.add(id)
  })
  world.afterStep(() => {
    if (fresh.size === 0) return
    for (const { event } of state.events.values()) {
      if (!fresh.has(event.id)) continue
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
}

/**
 * Checks that a delivery has one sender at a time, and counts as delivered only if its receiver accepted it. At rest,
 * every delivery to an enabled endpoint must have ended. It may have failed only after its last attempt, unless the
 * endpoint was ever disabled.
 */
const watchDeliveries = (world: World, cluster: Cluster): void => {
  const { state } = world
  const spared = new Set<EndpointId>()
  observe(state.endpoints, (id, _, after) => {
    if (after?.status !== "ENABLED") spared.add(id)
  })
  observe(state.deliveries, (_, before, after) => {
    // A delivery may disappear with its endpoint, or if retention deletes it.
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
      // An attempt that disables its endpoint also fails its delivery. A delivery may therefore fail before its last
      // attempt only if its endpoint was ever disabled.
      if (status === "FAILED" && !spared.has(endpointId)) {
        world.require(delivery.attempts >= attempts, "told_iff_committed", () => `${name()} was given up early`)
      }
    }
  })
}

export const watchTelling = (world: World, cluster: Cluster): void => {
  watchFacts(world, cluster.platform.onFeed)
  watchEvents(world)
  watchDeliveries(world, cluster)
}
