import type { Delivery } from "@surety/core/event/Delivery"
import { DeliveryQueue, type DeliveryStats, type deliveryLanes, type LaneStats } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { Context, DateTime, Effect, Option } from "effect"
import { makeMergePages, newestFirst } from "./mergePages.js"
import type { Router } from "./Router.js"

const endpointsOf = Context.get(WebhookEndpointStore)
const queueOf = Context.get(DeliveryQueue)
const eventsOf = Context.get(EventLog)
const feedOf = Context.get(PlatformFeed)

export const earliest = (times: ReadonlyArray<DateTime.Utc | undefined>): DateTime.Utc | undefined =>
  times
    .filter((time) => time !== undefined)
    .reduce<DateTime.Utc | undefined>(
      (first, time) => (first === undefined || DateTime.isLessThan(time, first) ? time : first),
      undefined
    )

/** Adds up counts that are each capped at `limit`, and caps the total at `limit` too. */
export const countUpTo = (limit: number, counts: ReadonlyArray<number>): number =>
  Math.min(
    limit,
    counts.reduce((sum, count) => sum + count, 0)
  )

export const webhookEndpointStore = ({ of }: Router): WebhookEndpointStore["Service"] => ({
  insert: (endpoint, limit, statuses) =>
    of(
      endpoint.merchantId,
      "WebhookEndpointStore.insert"
    )((stores) => endpointsOf(stores).insert(endpoint, limit, statuses)),
  find: (merchantId, id) =>
    of(merchantId, "WebhookEndpointStore.find")((stores) => endpointsOf(stores).find(merchantId, id)),
  list: (merchantId) => of(merchantId, "WebhookEndpointStore.list")((stores) => endpointsOf(stores).list(merchantId)),
  replace: (before, after, event, statuses) =>
    of(
      before.merchantId,
      "WebhookEndpointStore.replace"
    )((stores) => endpointsOf(stores).replace(before, after, event, statuses)),
  remove: (merchantId, id) =>
    of(merchantId, "WebhookEndpointStore.remove")((stores) => endpointsOf(stores).remove(merchantId, id))
})

/** Each cell has its own queue, so a claim gathers due deliveries across cells. */
export const deliveryQueue = ({ all, at, cellOf, gather, of }: Router): DeliveryQueue["Service"] => ({
  claim: (claim) =>
    gather("DeliveryQueue.claim")(claim.limit, (stores, limit) => queueOf(stores).claim({ ...claim, limit })),
  settle: (due, attempt, after) =>
    of(due.delivery.merchantId, "DeliveryQueue.settle")((stores) => queueOf(stores).settle(due, attempt, after)),
  release: (due) =>
    Effect.gen(function* () {
      const placed = yield* Effect.forEach(due, (delivery) =>
        Effect.map(cellOf(delivery.delivery.merchantId), (cell) => ({ cell, delivery }))
      )
      yield* Effect.forEach(
        [...Map.groupBy(placed, ({ cell }) => cell)],
        ([cell, group]) =>
          at(cell, "DeliveryQueue.release")((stores) => queueOf(stores).release(group.map(({ delivery }) => delivery))),
        { concurrency: "unbounded", discard: true }
      )
    }),
  stats: (now, countLimit) =>
    Effect.map(
      all("DeliveryQueue.stats")((stores) => queueOf(stores).stats(now, countLimit)),
      (stats): DeliveryStats => {
        const laneOf = (lane: (typeof deliveryLanes)[number]): LaneStats => ({
          backlog: countUpTo(
            countLimit,
            stats.map(({ lanes }) => lanes[lane].backlog)
          ),
          dueSince: earliest(stats.map(({ lanes }) => lanes[lane].dueSince))
        })
        return {
          lanes: { steady: laneOf("steady"), busy: laneOf("busy"), failing: laneOf("failing") },
          disabledEndpoints: stats.reduce((sum, { disabledEndpoints }) => sum + disabledEndpoints, 0)
        }
      }
    ),
  dueEndpoints: (now, limit, without) =>
    Effect.map(
      all("DeliveryQueue.dueEndpoints")((stores) => queueOf(stores).dueEndpoints(now, limit, without)),
      (endpoints) => endpoints.flat().slice(0, limit)
    )
})

export const eventLog = (router: Router): EventLog["Service"] => {
  const { at, cellOf, names, of } = router
  const mergePages = makeMergePages(router)
  const order = newestFirst(({ endpointId, eventId }: Delivery) => `${eventId} ${endpointId}`)
  return {
    // A merchant that moved may have events in an archive of its earlier cell. A cell that is down is not waited for,
    // so it cannot make other cells' merchants fail.
    find: (scope, id) =>
      Effect.gen(function* () {
        const found = yield* of(scope.merchantId, "EventLog.find")((stores) => eventsOf(stores).find(scope, id))
        if (Option.isSome(found)) return found
        const own = yield* cellOf(scope.merchantId)
        yield* Effect.forEach(
          names.filter((cell) => cell !== own),
          (cell) =>
            Effect.catchTag(
              at(cell, "EventLog.find")((stores) => eventsOf(stores).find(scope, id)),
              "StoreError",
              () => Effect.succeedNone
            ),
          { concurrency: "unbounded", discard: true }
        )
        return found
      }),
    list: (scope, page, topic) =>
      of(scope.merchantId, "EventLog.list")((stores) => eventsOf(stores).list(scope, page, topic)),
    follow: (scope, following) =>
      of(scope.merchantId, "EventLog.follow")((stores) => eventsOf(stores).follow(scope, following)),
    sendTest: (event) => of(event.merchantId, "EventLog.sendTest")((stores) => eventsOf(stores).sendTest(event)),
    deliveries: (scope, id) =>
      of(scope.merchantId, "EventLog.deliveries")((stores) => eventsOf(stores).deliveries(scope, id)),
    listDeliveries: (filter, page) =>
      mergePages("EventLog.listDeliveries", order, page, (stores, part) =>
        eventsOf(stores).listDeliveries(filter, part)
      ),
    endpointHealth: (scope, endpointId, now, countTo) =>
      of(
        scope.merchantId,
        "EventLog.endpointHealth"
      )((stores) => eventsOf(stores).endpointHealth(scope, endpointId, now, countTo)),
    resend: (scope, id, endpointId, now) =>
      of(scope.merchantId, "EventLog.resend")((stores) => eventsOf(stores).resend(scope, id, endpointId, now)),
    checkRange: (scope, range) =>
      of(scope.merchantId, "EventLog.checkRange")((stores) => eventsOf(stores).checkRange(scope, range)),
    recover: (scope, endpointId, range, now) =>
      of(scope.merchantId, "EventLog.recover")((stores) => eventsOf(stores).recover(scope, endpointId, range, now))
  }
}

/** Each cell has a feed of its merchants' events. Events without a merchant are in the home cell's feed. */
export const platformFeed = ({ all, atHome, gather, of }: Router): PlatformFeed["Service"] => ({
  begin: Effect.map(
    all("PlatformFeed.begin")((stores) => feedOf(stores).begin),
    (begun) => begun.some((isNew) => isNew)
  ),
  end: Effect.map(
    all("PlatformFeed.end")((stores) => feedOf(stores).end),
    (ended) => ended.some((isNew) => isNew)
  ),
  claim: (claim) =>
    gather("PlatformFeed.claim")(claim.limit, (stores, limit) => feedOf(stores).claim({ ...claim, limit })),
  settle: (leased, progress) =>
    leased.merchantId === undefined
      ? atHome("PlatformFeed.settle")((stores) => feedOf(stores).settle(leased, progress))
      : of(leased.merchantId, "PlatformFeed.settle")((stores) => feedOf(stores).settle(leased, progress)),
  stats: (now, countLimit) =>
    Effect.map(
      all("PlatformFeed.stats")((stores) => feedOf(stores).stats(now, countLimit)),
      (stats) => ({
        isOn: stats.every(({ isOn }) => isOn),
        backlog: countUpTo(
          countLimit,
          stats.map(({ backlog }) => backlog)
        ),
        oldestAt: earliest(stats.map(({ oldestAt }) => oldestAt)),
        failing: stats.reduce((sum, { failing }) => sum + failing, 0),
        healthy: stats.reduce((sum, { healthy }) => sum + healthy, 0)
      })
    )
})
