import { type DeliveryClaim, DeliveryQueue, type DueDelivery } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { deliveryKey, type StoredDelivery } from "@surety/core/memory/MemoryState"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import * as Claims from "@surety/testing/event/DeliveryClaimLaws"
import * as Queues from "@surety/testing/event/DeliveryQueueLaws"
import * as Events from "@surety/testing/event/EventLogLaws"
import * as Endpoints from "@surety/testing/event/WebhookEndpointStoreLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, countingPages, lookThenAct, type State } from "./Broken.js"

/** Changes every stored delivery. */
const eachDelivery = (state: State, change: (stored: StoredDelivery) => StoredDelivery): void => {
  for (const [key, stored] of state.deliveries) state.deliveries.set(key, change(stored))
}

const keyOf = ({ delivery }: DueDelivery): string => deliveryKey(delivery.eventId, delivery.endpointId)

/** What is claimed as if its holder were the latest. */
const asLatest = (state: State, due: DueDelivery): DueDelivery => ({
  ...due,
  fence: state.deliveries.get(keyOf(due))?.fence ?? due.fence
})

const endpoints: ReadonlyArray<Broken> = [
  broken(
    WebhookEndpointStore,
    "finds whosever endpoint it is",
    (_, state) => ({
      find: (_merchantId, id) => Effect.sync(() => Option.fromUndefinedOr(state.endpoints.get(id)))
    }),
    [Endpoints.keepsEndpoint]
  ),
  broken(
    WebhookEndpointStore,
    "stores an endpoint of nobody",
    (_, state) => ({
      insert: (endpoint) =>
        Effect.sync(() => {
          state.endpoints.set(endpoint.id, endpoint)
          return "inserted"
        })
    }),
    [Endpoints.needsMerchant]
  ),
  broken(
    WebhookEndpointStore,
    "stores an endpoint although it says that the status forbids it",
    (sound, state) => ({
      insert: (endpoint, limit, statuses) =>
        Effect.tap(sound.insert(endpoint, limit, statuses), (outcome) =>
          Effect.sync(() => outcome === "status_forbids" && state.endpoints.set(endpoint.id, endpoint))
        )
    }),
    [Endpoints.checksStatus]
  ),
  broken(
    WebhookEndpointStore,
    "checks the merchant's status before, not in the commit",
    (sound, state) => ({
      insert: (endpoint, limit, statuses) =>
        lookThenAct(
          () => state.merchants.get(endpoint.merchantId)?.status ?? "CLOSED",
          (status) => sound.insert(endpoint, limit, statuses.includes(status) ? MerchantStatus.literals : statuses)
        )
    }),
    [Endpoints.closingWins]
  ),
  broken(
    WebhookEndpointStore,
    "counts the endpoints before, not in the commit",
    (sound, state) => ({
      insert: (endpoint, limit, statuses) =>
        lookThenAct(
          () => [...state.endpoints.values()].filter(({ merchantId }) => merchantId === endpoint.merchantId).length,
          (count) => sound.insert(endpoint, count < limit ? 1_000 : limit, statuses)
        )
    }),
    [Endpoints.holdsLimit]
  ),
  broken(
    WebhookEndpointStore,
    "lists endpoints newest first",
    (sound) => ({ list: (id) => Effect.map(sound.list(id), (rows) => [...rows].reverse()) }),
    [Endpoints.listsOldestFirst]
  ),
  broken(
    WebhookEndpointStore,
    "never lets a reason go",
    (sound) => ({ replace: (before, after) => sound.replace(before, { disabledReason: "once", ...after }) }),
    [Endpoints.replaces]
  ),
  broken(
    WebhookEndpointStore,
    "does not mind what was changed in between",
    (sound, state) => ({
      replace: (before, after) =>
        Effect.suspend(() => {
          const stored = state.endpoints.get(before.id)
          return sound.replace(stored === undefined ? before : { ...before, updatedAt: stored.updatedAt }, after)
        })
    }),
    [Endpoints.oneReplacementWins]
  ),
  broken(
    WebhookEndpointStore,
    "never forgets that an endpoint was failing",
    (sound) => ({ replace: ({ failingSince: _, ...before }, after) => sound.replace(before, after) }),
    [Endpoints.forgetsFailing]
  ),
  broken(
    WebhookEndpointStore,
    "removes whosever endpoint it is",
    (sound, state) => ({
      remove: (merchantId, id) => sound.remove(state.endpoints.get(id)?.merchantId ?? merchantId, id)
    }),
    [Endpoints.removes]
  )
]

const claiming = (
  how: (claim: DeliveryClaim, state: State) => DeliveryClaim,
  name: string,
  caughtBy: Broken["caughtBy"]
) =>
  broken(
    DeliveryQueue,
    name,
    (sound, state) => ({ claim: (claim) => Effect.suspend(() => sound.claim(how(claim, state))) }),
    caughtBy
  )

const dueMillis = ({ delivery }: DueDelivery): number => delivery.nextAttemptAt?.epochMilliseconds ?? 0

const claims: ReadonlyArray<Broken> = [
  claiming((claim) => ({ ...claim, now: DateTime.add(claim.now, { hours: 1 }) }), "claims what is not due yet", [
    Claims.claimsWhatIsDue
  ]),
  claiming((claim) => ({ ...claim, limit: 100 }), "claims more than the limit", [Claims.longestDueFirst]),
  claiming((claim) => ({ ...claim, limit: Math.min(claim.limit, 10) }), "takes few at a time", [Claims.takesShares]),
  broken(
    DeliveryQueue,
    "takes the longest due first, whosever they are",
    (sound) => ({
      claim: (claim) =>
        Effect.gen(function* () {
          const all = yield* sound.claim({ ...claim, limit: 1_000 })
          const longestDueFirst = [...all].sort(
            (a, b) => dueMillis(a) - dueMillis(b) || (a.delivery.id < b.delivery.id ? -1 : 1)
          )
          yield* sound.release(longestDueFirst.slice(claim.limit))
          return longestDueFirst.slice(0, claim.limit)
        })
    }),
    [Claims.takesTurns]
  ),
  claiming((claim) => ({ ...claim, perEndpoint: 100 }), "gives an endpoint as many senders as come", [
    Claims.fairBetweenEndpoints
  ]),
  claiming(({ failing: _, ...claim }) => claim, "does not tell failing endpoints from others", [
    Claims.claimsFailingApart
  ]),
  claiming(
    (claim, state) => {
      eachDelivery(state, (stored) => ({ ...stored, leasedUntil: undefined }))
      return claim
    },
    "gives a delivery to whoever asks",
    [Claims.oneSenderEach, Claims.fairBetweenEndpoints]
  ),
  broken(
    DeliveryQueue,
    "ignores the fence of a record",
    (sound, state) => ({
      record: (due, attempt, after) => Effect.suspend(() => sound.record(asLatest(state, due), attempt, after))
    }),
    [Claims.leasesEnd]
  ),
  broken(
    DeliveryQueue,
    "throws a late record away",
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.suspend(() => {
          const until = state.deliveries.get(keyOf(due))?.leasedUntil
          const late = until !== undefined && DateTime.isGreaterThan(attempt.startedAt, until)
          return late
            ? Effect.succeed({ isOurs: false, disabled: false, failing: undefined })
            : sound.record(due, attempt, after)
        })
    }),
    [Claims.lateIsNotLost]
  ),
  broken(
    DeliveryQueue,
    "takes back what is with another by now",
    (sound, state) => ({
      release: (dues) => Effect.suspend(() => sound.release(dues.map((due) => asLatest(state, due))))
    }),
    [Claims.releases]
  ),
  broken(
    DeliveryQueue,
    "sends to disabled endpoints",
    (sound, state) => ({
      claim: (claim) =>
        Effect.suspend(() => {
          for (const endpoint of state.endpoints.values()) {
            state.endpoints.set(endpoint.id, { ...endpoint, status: "ENABLED" })
          }
          return sound.claim(claim)
        })
    }),
    [Claims.skipsDisabled]
  )
]

const recordingAs = (
  name: string,
  wrongly: (stored: StoredDelivery, before: StoredDelivery | undefined) => StoredDelivery,
  caughtBy: Broken["caughtBy"]
): Broken =>
  broken(
    DeliveryQueue,
    name,
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.suspend(() => {
          const before = state.deliveries.get(keyOf(due))
          return Effect.tap(sound.record(due, attempt, after), () =>
            Effect.sync(() => {
              const stored = state.deliveries.get(keyOf(due))
              if (stored !== undefined) state.deliveries.set(keyOf(due), wrongly(stored, before))
            })
          )
        })
    }),
    caughtBy
  )

const records: ReadonlyArray<Broken> = [
  recordingAs("keeps no attempts", (stored) => ({ ...stored, attempts: [] }), [Queues.keepsDelivered]),
  recordingAs("keeps attempts newest first", (stored) => ({ ...stored, attempts: [...stored.attempts].reverse() }), [
    Queues.retries
  ]),
  recordingAs("never gives up", (stored, before) => ({ ...stored, delivery: before?.delivery ?? stored.delivery }), [
    Queues.givesUp
  ]),
  recordingAs("takes a record again and again", (stored, before) => before ?? stored, [Queues.recordsOnce]),
  broken(
    DeliveryQueue,
    "notes the last failure, not the first",
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.tap(sound.record(due, attempt, after), () =>
          Effect.sync(() => {
            const endpoint = state.endpoints.get(due.endpoint.id)
            if (endpoint?.failingSince === undefined) return
            state.endpoints.set(endpoint.id, { ...endpoint, failingSince: attempt.startedAt })
          })
        )
    }),
    [Queues.notesFailing]
  ),
  broken(
    DeliveryQueue,
    "disables an endpoint unseen by changes begun before",
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.tap(sound.record(due, attempt, after), () =>
          Effect.sync(() => {
            const endpoint = state.endpoints.get(due.endpoint.id)
            if (endpoint === undefined) return
            state.endpoints.set(endpoint.id, { ...endpoint, updatedAt: due.endpoint.updatedAt })
          })
        )
    }),
    [Queues.disablesEndpoint]
  )
]

const logs: ReadonlyArray<Broken> = [
  broken(
    EventLog,
    "shows the deliveries of whosever event it is",
    (_, state) => ({
      deliveries: (_scope, id) =>
        Effect.sync(() => [...state.deliveries.values()].filter(({ delivery }) => delivery.eventId === id))
    }),
    [Events.strangersSeeNothing]
  ),
  broken(
    EventLog,
    "counts rows for a cursor",
    (sound) => ({ list: (scope, page) => countingPages((all) => sound.list(scope, all))(page) }),
    [Events.listsNewestFirst]
  ),
  broken(
    EventLog,
    "forgets earlier attempts when it resends",
    (sound, state) => ({
      resend: (scope, id, endpointId, now) =>
        Effect.tap(sound.resend(scope, id, endpointId, now), () =>
          Effect.sync(() => eachDelivery(state, (stored) => ({ ...stored, attempts: [] })))
        )
    }),
    [Events.resendsToOne]
  ),
  broken(
    EventLog,
    "resends only to those that were told before",
    (sound, state) => ({
      resend: (scope, id, endpointId, now) =>
        Effect.suspend(() => {
          const known = new Set(state.deliveries.keys())
          return Effect.tap(sound.resend(scope, id, endpointId, now), () =>
            Effect.sync(() => {
              for (const key of state.deliveries.keys()) if (!known.has(key)) state.deliveries.delete(key)
            })
          )
        })
    }),
    [Events.resendsToAll, Events.manyResendsAreOne]
  ),
  broken(
    EventLog,
    "lets the sender that has it finish what is to be sent again",
    (sound, state) => ({
      resend: (scope, id, endpointId, now) =>
        Effect.suspend(() => {
          const before = new Map(state.deliveries)
          return Effect.tap(sound.resend(scope, id, endpointId, now), () =>
            Effect.sync(() => {
              for (const [key, stored] of before) state.deliveries.set(key, stored)
            })
          )
        })
    }),
    [Events.resendOvertakesSender]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...endpoints, ...claims, ...records, ...logs]
