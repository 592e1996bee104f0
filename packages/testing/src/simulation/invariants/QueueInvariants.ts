import { keptFor } from "@surety/core/host/HostRequests"
import type { StoredHostRequest } from "@surety/core/memory/host/StoredHostRequest"
import { DateTime, Duration } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

/**
 * Checks that a queued request has made one payment or refund if it is done, and none if it has not begun. Requests of
 * one queue must end in the queue's order, except in an erasure.
 */
export const watchQueue = (world: World): void => {
  const { state } = world
  const touched = new Set<string>()
  /**
   * Keys of deleted requests. Their payments and refunds are not counted, since these outlast the request and its key
   * may be queued again.
   */
  const forgotten = new Set<string>()
  const isEnded = ({ request }: StoredHostRequest): boolean => request.status !== "PENDING"

  /** Counts the payments made by requests with this key, and the refunds with this key that did not fail. */
  const madeBy = (key: string): number =>
    [...state.payments.values()].filter(({ id }) => id.startsWith(`payment_${key}-`)).length +
    [...state.refunds.values()].filter(
      ({ idempotencyKey, refund }) => String(idempotencyKey) === key && refund.status !== "FAILED"
    ).length

  observe(state.hostRequests, (key, before, after) => {
    if (after === undefined) {
      forgotten.add(key)
      const endedAt = before?.request.endedAt
      const isOld =
        endedAt !== undefined &&
        DateTime.toEpochMillis(endedAt) + Duration.toMillis(keptFor) <= world.nowMillis + mostSkewMillis
      return world.require(isOld, "kept_for_its_time", () => `${key} was forgotten before its time`)
    }
    checkMove(world, "host request", key, before?.request.status, after.request.status)
    touched.add(key)
    if (before === undefined) return
    world.require(after.fence >= before.fence, "one_holder", () => `the fence of ${key} fell`)
    const isKept =
      isSameIn(world, before.request, after.request, ["key", "kind", "queue", "createdAt"]) &&
      (!isEnded(before) || isSameIn(world, before.request, after.request, ["status", "endedAt", "result", "error"]))
    world.require(isKept, "host_requests_once", () => `${key} changed`)
    if (isEnded(before) || !isEnded(after) || world.erasing !== undefined) return
    const { place, request } = after
    const [older] = [...state.hostRequests.values()].filter(
      (other) => other.request.queue === request.queue && other.place < place && !isEnded(other)
    )
    world.require(
      request.queue === undefined || older === undefined,
      "host_requests_once",
      () => `${key} was done before ${older?.request.key}, which was queued earlier`
    )
  })
  // The id of a queued payment contains its request's key. If the request is already deleted, the check below skips
  // the key.
  observe(state.payments, (_, before, after) => {
    const key = before === undefined ? /^payment_(?<key>queued-\d+)-/.exec(after?.id ?? "")?.groups?.key : undefined
    if (key !== undefined) touched.add(key)
  })
  world.afterStep(() => {
    for (const key of touched) {
      if (forgotten.has(key)) continue
      const stored = state.hostRequests.get(key)
      if (stored === undefined) {
        world.require(madeBy(key) === 0, "host_requests_once", () => `${key} was done and never queued`)
        continue
      }
      const { result, status } = stored.request
      const count = madeBy(key)
      const isBegun = status === "PENDING" && result !== undefined
      world.require(
        status === "DONE" ? count === 1 : status === "PENDING" ? isBegun || count === 0 : true,
        "host_requests_once",
        () => `${key} is ${status} and made ${count} records`
      )
    }
    touched.clear()
  })
  world.atRest(() => {
    const [open] = [...state.hostRequests.values()].filter((stored) => !isEnded(stored))
    world.require(open === undefined, "nothing_open_for_ever", () => `${open?.request.key} is PENDING`)
  })
}
