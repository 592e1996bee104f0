import { EventArchived } from "@surety/core/event/EventArchived"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { madeAtMillis } from "@surety/core/Ids"
import { append } from "@surety/core/memory/event/MemoryOutbox"
import { isOf, type StoredDelivery } from "@surety/core/memory/MemoryState"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import * as Lists from "@surety/testing/event/DeliveryListLaws"
import * as Follow from "@surety/testing/event/EventFollowLaws"
import * as Events from "@surety/testing/event/EventLogLaws"
import * as Recovery from "@surety/testing/event/EventRecoveryLaws"
import * as Tests from "@surety/testing/event/TestEventLaws"
import * as Endpoints from "@surety/testing/event/WebhookEndpointStoreLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  answering,
  around,
  asking,
  type Broken,
  before,
  countingPages,
  editAll,
  faultsOf,
  instead,
  lookingFirst,
  type State
} from "./Fault.js"

const ofEndpoints = faultsOf(WebhookEndpointStore)

const endpoints: ReadonlyArray<Broken> = [
  instead(
    ofEndpoints("find", "finds any merchant's endpoint", Endpoints.keepsEndpoint),
    (_, state) => (_merchantId, id) => Effect.sync(() => Option.fromUndefinedOr(state.endpoints.get(id)))
  ),
  instead(
    ofEndpoints("insert", "stores an endpoint without a merchant", Endpoints.needsMerchant),
    (_, state) => (endpoint) =>
      Effect.sync(() => {
        state.endpoints.set(endpoint.id, endpoint)
        return "inserted"
      })
  ),
  after(
    ofEndpoints("insert", "stores an endpoint although the status forbids it", Endpoints.checksStatus),
    (state, outcome, [endpoint]) => outcome === "status_forbids" && state.endpoints.set(endpoint.id, endpoint)
  ),
  lookingFirst(
    ofEndpoints("insert", "checks the merchant's status before the commit", Endpoints.closingWins),
    (state, [{ merchantId }]) => state.merchants.get(merchantId)?.status ?? "CLOSED",
    (status, insert, [endpoint, limit, statuses]) =>
      insert(endpoint, limit, statuses.includes(status) ? MerchantStatus.literals : statuses)
  ),
  lookingFirst(
    ofEndpoints("insert", "counts the endpoints before the commit", Endpoints.holdsLimit),
    (state, [{ merchantId }]) => [...state.endpoints.values()].filter((one) => one.merchantId === merchantId).length,
    (count, insert, [endpoint, limit, statuses]) => insert(endpoint, count < limit ? 1_000 : limit, statuses)
  ),
  answering(ofEndpoints("list", "lists endpoints newest first", Endpoints.listsOldestFirst), (rows) =>
    rows.toReversed()
  ),
  asking(ofEndpoints("replace", "never drops a reason", Endpoints.replaces), ([old, next]) => [
    old,
    { disabledReason: "once", ...next }
  ]),
  asking(
    ofEndpoints("replace", "stores no start of missed events", Endpoints.replaces),
    ([old, { missedSince: _, ...next }]) => [old, next]
  ),
  asking(
    ofEndpoints("replace", "overwrites concurrent changes", Endpoints.oneReplacementWins),
    ([old, next], state) => [{ ...old, updatedAt: state.endpoints.get(old.id)?.updatedAt ?? old.updatedAt }, next]
  ),
  lookingFirst(
    ofEndpoints("replace", "checks the merchant's status before the commit", Endpoints.closingWinsOverChange),
    (state, [{ merchantId }]) => state.merchants.get(merchantId)?.status ?? "CLOSED",
    (status, replace, [before, next, event, statuses]) =>
      replace(before, next, event, statuses?.includes(status) === false ? statuses : undefined)
  ),
  asking(
    ofEndpoints("replace", "keeps an endpoint failing", Endpoints.forgetsFailing),
    ([{ failingSince: _, ...old }, next]) => [old, next]
  ),
  asking(ofEndpoints("remove", "removes any merchant's endpoint", Endpoints.removes), ([merchantId, id], state) => [
    state.endpoints.get(id)?.merchantId ?? merchantId,
    id
  ])
]

const ofEvents = faultsOf(EventLog)

const losingNew = (known: ReadonlySet<string>, state: State): void => {
  for (const key of state.deliveries.keys()) if (!known.has(key)) state.deliveries.delete(key)
}

const events: ReadonlyArray<Broken> = [
  instead(
    ofEvents("deliveries", "shows the deliveries of any merchant's event", Events.strangersSeeNothing),
    (_, state) => (_scope, id) =>
      Effect.sync(() => [...state.deliveries.values()].filter(({ delivery }) => delivery.eventId === id))
  ),
  instead(
    ofEvents("list", "counts rows for a cursor", Events.listsNewestFirst),
    (list) => (scope, page) => countingPages((all) => list(scope, all))(page)
  ),
  answering(ofEvents("list", "lists by the events' times", Events.listsNewestFirst), (page) => ({
    ...page,
    data: page.data.toSorted((a, b) => DateTime.Order(b.occurredAt, a.occurredAt))
  })),
  instead(ofEvents("list", "ignores the topic", Events.listsOneTopic), (list) => (scope, page) => list(scope, page)),
  after(ofEvents("resend", "forgets earlier attempts when it resends", Events.resendsToOne), (state) =>
    editAll(state.deliveries, (stored) => ({ ...stored, attempts: [] }))
  ),
  around(
    ofEvents("resend", "resends only to endpoints with a delivery", Events.resendsToAll, Events.manyResendsAreOne),
    (state) => new Set(state.deliveries.keys()),
    losingNew
  ),
  around(
    ofEvents("resend", "lets the current sender settle what is sent again", Events.resendOvertakesSender),
    (state) => new Map(state.deliveries),
    (earlier, state) => {
      for (const [key, stored] of earlier) state.deliveries.set(key, stored)
    }
  ),
  instead(
    ofEvents("follow", "follows the events' times", Follow.followsCommits),
    (follow) =>
      (scope, { after: cursor, limit }) =>
        Effect.map(follow(scope, { after: undefined, limit: 1_000 }), (found) => {
          const millis = new Map(found.map(({ id, occurredAt }) => [id, occurredAt.epochMilliseconds]))
          const since = cursor === undefined ? Number.NEGATIVE_INFINITY : (millis.get(cursor) ?? 0)
          return found
            .toSorted((a, b) => a.occurredAt.epochMilliseconds - b.occurredAt.epochMilliseconds)
            .filter(({ occurredAt }) => occurredAt.epochMilliseconds > since)
            .slice(0, limit)
        })
  ),
  instead(
    ofEvents("follow", "follows every merchant's events", Follow.followsOwnOnly),
    (_, state) =>
      (_scope, { limit }) =>
        Effect.sync(() => [...state.events.values()].map(({ event }) => event).slice(0, limit))
  ),
  after(ofEvents("sendTest", "sends a test to every subscriber of the topic", Tests.sendsTest), (state, _, [event]) => {
    const { testFor: __, ...told } = event
    append(state, told, "nothing")
    state.events.set(event.id, { event: { ...event, sequence: "0" }, cause: "a test" })
  }),
  instead(
    ofEvents("list", "lists test events", Tests.testsDidNotHappen),
    (_, state) => () =>
      Effect.sync(() => ({ data: [...state.events.values()].map(({ event }) => event), nextCursor: undefined }))
  ),
  after(
    ofEvents("sendTest", "keeps a test without an endpoint", Tests.testsNeedEndpoint),
    (state, delivery, [event]) => {
      const hasEndpoint = [...state.endpoints.values()].some((endpoint) => isOf(event, endpoint))
      if (Option.isNone(delivery) && hasEndpoint)
        state.events.set(event.id, { event: { ...event, sequence: "0" }, cause: "a test" })
    }
  )
]

/** Builds a fault that marks deliveries with this status as failed before a recovery. */
const recovering = (how: string, status: StoredDelivery["delivery"]["status"]): Broken =>
  before(ofEvents("recover", how, Recovery.recoversUndelivered), (state) =>
    editAll(state.deliveries, (stored) => {
      if (stored.delivery.status !== status) return stored
      const { nextAttemptAt: _, ...delivery } = stored.delivery
      return { ...stored, delivery: { ...delivery, status: "FAILED" as const }, leasedUntil: undefined }
    })
  )

const recoveries: ReadonlyArray<Broken> = [
  recovering("recovers what was delivered", "DELIVERED"),
  recovering("recovers what is on its way", "PENDING"),
  around(
    ofEvents("recover", "recovers only failed deliveries", Recovery.recoversUndelivered, Recovery.recoversOwn),
    (state) => new Set(state.deliveries.keys()),
    losingNew
  ),
  asking(
    ofEvents("recover", "includes the range's end", Recovery.recoversRange),
    ([scope, id, { since, until }, now]) => [scope, id, { since, until: DateTime.add(until, { milliseconds: 1 }) }, now]
  ),
  instead(
    ofEvents("recover", "recovers by the events' times", Recovery.recoversRange),
    (recover, state) => (scope, id, range, now) =>
      Effect.map(
        Effect.forEach(state.events.values(), ({ event }) => {
          const made = DateTime.makeUnsafe(madeAtMillis(event.id))
          const isOf = DateTime.isLessThanOrEqualTo(range.since, event.occurredAt)
          const recorded = { since: made, until: DateTime.add(made, { milliseconds: 1 }) }
          return isOf && DateTime.isLessThan(event.occurredAt, range.until)
            ? recover(scope, id, recorded, now)
            : Effect.succeed(0)
        }),
        (dues) => dues.reduce((sum, due) => sum + due, 0)
      )
  ),
  instead(
    ofEvents("checkRange", "takes every range for archived", Recovery.acceptsRange),
    () => () => Effect.fail(new EventArchived({ month: "2026-03" }))
  ),
  asking(ofEvents("recover", "ignores the range's start", Recovery.recoversRange), ([scope, id, { until }, now]) => [
    scope,
    id,
    { since: DateTime.makeUnsafe(0), until },
    now
  ]),
  asking(
    ofEvents("recover", "recovers at any merchant's endpoint", Recovery.recoversOwn),
    ([scope, id, range, now], state) => [state.endpoints.get(id) ?? scope, id, range, now]
  )
]

const ignoring = (key: "status" | "merchantId" | "endpointId" | "topic", broken = Lists.filtersDeliveries): Broken =>
  asking(ofEvents("listDeliveries", `ignores the ${key} of a list of deliveries`, broken), ([filter, page]) => [
    { ...filter, [key]: undefined },
    page
  ])

const lists: ReadonlyArray<Broken> = [
  instead(
    ofEvents("listDeliveries", "counts deliveries for a cursor", Lists.listsDeliveriesNewestFirst),
    (list) => (filter, page) => countingPages((all) => list(filter, all))(page)
  ),
  instead(
    ofEvents(
      "listDeliveries",
      "lists the deliveries of both environments",
      Lists.listsDeliveriesNewestFirst,
      Lists.filtersDeliveries
    ),
    (_, state) => (_filter, page) =>
      countingPages(() =>
        Effect.sync(() => ({
          data: [...state.deliveries.values()].map(({ delivery }) => delivery).reverse(),
          nextCursor: undefined
        }))
      )(page)
  ),
  answering(
    ofEvents("listDeliveries", "lists one delivery of each event", Lists.listsManyOfOneEvent),
    ({ data, nextCursor }) => ({
      data: data.filter(({ eventId }, index) => data.findIndex((one) => one.eventId === eventId) === index),
      nextCursor
    })
  ),
  ignoring("status"),
  ignoring("merchantId"),
  ignoring("endpointId"),
  ignoring("topic", Lists.filtersTopic)
]

export const brokenStores: ReadonlyArray<Broken> = [...endpoints, ...events, ...recoveries, ...lists]
