import type { RetentionPolicy } from "@surety/core/retention/RetentionPolicy"
import type { RetentionKind } from "@surety/core/retention/RetentionStore"
import { DateTime, Duration } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** Periods of at most 100 days, so that a half-year story exceeds each of them. */
export const retentionPolicy: RetentionPolicy = {
  answers: Duration.days(30),
  reads: Duration.days(100),
  deliveries: Duration.days(60),
  codes: Duration.days(1),
  rightsRequests: Duration.days(40)
}

/** Maximum delay of retention, which runs every ten minutes on nodes that may be down. */
const lateMillis = Duration.toMillis(Duration.hours(1))

const isOver = (world: World, kind: RetentionKind, at: DateTime.Utc | undefined, marginMillis: number): boolean => {
  const time = retentionPolicy[kind]
  if (at === undefined || time === undefined) return false
  return DateTime.toEpochMillis(at) + Duration.toMillis(time) < world.nowMillis - marginMillis
}

/**
 * Finds a record that retention should have deleted at least an hour ago. Returns the id of an identity read or a
 * closed rights request, or the token hash of a management link. Returns `undefined` if none is overdue.
 */
export const overdueOf = (world: World): string | undefined => {
  const { state } = world
  const kept: ReadonlyArray<readonly [RetentionKind, string, DateTime.Utc | undefined]> = [
    ...[...state.identityReads.values()].map(({ id, readAt }) => ["reads", id, readAt] as const),
    ...[...state.rightsRequests.values()].map(({ closedAt, id }) => ["rightsRequests", id, closedAt] as const),
    ...[...state.managementLinks.values()].map(({ expiresAt, tokenHash }) => ["codes", tokenHash, expiresAt] as const)
  ]
  return kept.find(([kind, _, at]) => isOver(world, kind, at, lateMillis))?.[1]
}

/**
 * Checks that identity reads, rights requests and deliveries are not deleted before the policy's time. Retention must
 * not delete open rights requests, or deliveries that did not succeed. A delivery may be deleted earlier together with
 * its endpoint. Management links must not be deleted before they expire, except in an erasure. At rest, `overdueOf`
 * must return `undefined`.
 */
export const watchRetention = (world: World): void => {
  const { state } = world
  const taken = (kind: RetentionKind, name: string, at: DateTime.Utc | undefined): void => {
    world.reach(`retention took ${kind}`)
    world.require(
      isOver(world, kind, at, -mostSkewMillis),
      "kept_for_its_time",
      () => `${world.nameOf(name)} was deleted before its time`
    )
  }
  observe(state.identityReads, (id, before, after) => {
    if (before !== undefined && after === undefined) taken("reads", id, before.readAt)
  })
  observe(state.rightsRequests, (id, before, after) => {
    if (before !== undefined && after === undefined) taken("rightsRequests", id, before.closedAt)
  })
  observe(state.managementLinks, (_, before, after) => {
    if (before === undefined || after !== undefined || world.erasing !== undefined) return
    // `PersonConsents` also deletes expired links, perhaps before retention does.
    const isExpired = DateTime.toEpochMillis(before.expiresAt) <= world.nowMillis + mostSkewMillis
    world.require(isExpired, "kept_for_its_time", () => "a link was deleted before its time")
  })
  observe(state.deliveries, (_, before, after) => {
    if (before === undefined || after !== undefined || !state.endpoints.has(before.delivery.endpointId)) return
    taken(
      "deliveries",
      before.delivery.id,
      before.delivery.status === "DELIVERED" ? before.delivery.createdAt : undefined
    )
  })
  world.atRest(() => {
    const late = overdueOf(world)
    world.require(late === undefined, "kept_for_its_time", () => `${world.nameOf(late ?? "")} is kept too long`)
  })
}
