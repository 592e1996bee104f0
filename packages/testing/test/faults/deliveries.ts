import {
  type AfterAttempt,
  type AttemptRecorded,
  type DeliveryClaim,
  DeliveryQueue,
  type DeliveryStats,
  type LaneStats,
  type LeasedDelivery
} from "@surety/core/event/DeliveryQueue"
import { deliveryKey, type StoredDelivery } from "@surety/core/memory/MemoryState"
import * as Claims from "@surety/testing/event/DeliveryClaimLaws"
import * as Failing from "@surety/testing/event/DeliveryFailingLaws"
import * as Pace from "@surety/testing/event/DeliveryPaceLaws"
import * as Queues from "@surety/testing/event/DeliveryQueueLaws"
import * as Stats from "@surety/testing/event/DeliveryStatsLaws"
import * as OptIn from "@surety/testing/event/OptInTopicLaws"
import { DateTime, Effect } from "effect"
import {
  after,
  answering,
  around,
  asking,
  type Broken,
  before,
  edit,
  editAll,
  faultsOf,
  instead,
  type State
} from "./Fault.js"

const fault = faultsOf(DeliveryQueue)

const keyOf = ({ delivery }: LeasedDelivery): string => deliveryKey(delivery.eventId, delivery.endpointId)

/** Returns a copy of the lease with the delivery's current fence, so that a stale lease passes the fence check. */
const asLatest = (state: State, due: LeasedDelivery): LeasedDelivery => ({
  ...due,
  fence: state.deliveries.get(keyOf(due))?.fence ?? due.fence
})

const claiming = (how: string, change: (claim: DeliveryClaim) => DeliveryClaim, caughtBy: Broken["caughtBy"]) =>
  asking(fault("claim", how, ...caughtBy), ([claim]) => [change(claim)])

const dueMillis = ({ delivery }: LeasedDelivery): number => delivery.nextAttemptAt?.epochMilliseconds ?? 0

const claims: ReadonlyArray<Broken> = [
  claiming("claims what is not due yet", (claim) => ({ ...claim, now: DateTime.add(claim.now, { hours: 1 }) }), [
    Claims.claimsWhatIsDue
  ]),
  claiming("claims more than the limit", (claim) => ({ ...claim, limit: 100 }), [Claims.longestDueFirst]),
  claiming("claims ten at most", (claim) => ({ ...claim, limit: Math.min(claim.limit, 10) }), [Claims.takesShares]),
  instead(
    fault("claim", "claims the longest due, of any endpoint", Claims.takesTurns),
    (claim, _, { release }) =>
      (wanted) =>
        Effect.gen(function* () {
          const all = yield* claim({ ...wanted, limit: 1_000 })
          const longestDueFirst = all.toSorted(
            (a, b) => dueMillis(a) - dueMillis(b) || (a.delivery.id < b.delivery.id ? -1 : 1)
          )
          yield* release(longestDueFirst.slice(wanted.limit))
          return longestDueFirst.slice(0, wanted.limit)
        })
  ),
  claiming("gives an endpoint unlimited senders", (claim) => ({ ...claim, perEndpoint: 100 }), [
    Claims.fairBetweenEndpoints
  ]),
  claiming("mixes failing endpoints with others", ({ failing: _, ...claim }) => claim, [Claims.claimsFailingApart]),
  before(fault("claim", "ignores leases", Claims.oneSenderEach, Claims.fairBetweenEndpoints), (state) =>
    editAll(state.deliveries, (stored) => ({ ...stored, leasedUntil: undefined }))
  ),
  asking(fault("settle", "ignores the fence of a record", Claims.leasesEnd), ([due, attempt, next], state) => [
    asLatest(state, due),
    attempt,
    next
  ]),
  instead(
    fault("settle", "drops a late record", Claims.lateIsNotLost),
    (record, state) => (due, attempt, next) =>
      Effect.suspend(() => {
        const until = state.deliveries.get(keyOf(due))?.leasedUntil
        const isLate = until !== undefined && DateTime.isGreaterThan(attempt.startedAt, until)
        return isLate
          ? Effect.succeed({ applied: undefined, disabled: false, failing: undefined })
          : record(due, attempt, next)
      })
  ),
  asking(fault("release", "ignores the fence of a release", Claims.releases), ([dues], state) => [
    dues.map((due) => asLatest(state, due))
  ]),
  before(fault("claim", "sends to disabled endpoints", Claims.skipsDisabled), (state) =>
    editAll(state.endpoints, (endpoint) => ({ ...endpoint, status: "ENABLED" as const }))
  ),
  answering(fault("claim", "drops the trace", Claims.carriesTrace, Claims.carriesTraceOfRefund), (dues) =>
    dues.map(({ event: { traceparent: _, ...event }, ...due }) => ({ ...due, event }))
  )
]

const storing = (
  how: string,
  change: (stored: StoredDelivery, earlier: StoredDelivery | undefined) => StoredDelivery,
  caughtBy: Broken["caughtBy"]
): Broken =>
  around(
    fault("settle", how, ...caughtBy),
    (state, [due]) => state.deliveries.get(keyOf(due)),
    (earlier, state, [due]) => edit(state.deliveries, keyOf(due), (stored) => change(stored, earlier))
  )

const records: ReadonlyArray<Broken> = [
  storing("keeps no attempts", (stored) => ({ ...stored, attempts: [] }), [Queues.keepsDelivered]),
  storing("keeps attempts newest first", (stored) => ({ ...stored, attempts: stored.attempts.toReversed() }), [
    Queues.retries
  ]),
  storing("never gives up", (stored, earlier) => ({ ...stored, delivery: earlier?.delivery ?? stored.delivery }), [
    Queues.givesUp
  ]),
  storing("accepts a record twice", (stored, earlier) => earlier ?? stored, [Queues.recordsOnce]),
  after(fault("settle", "notes the last failure as the first", Queues.notesFailing), (state, _, [due, attempt]) =>
    edit(state.endpoints, due.endpoint.id, (endpoint) =>
      endpoint.failingSince === undefined ? endpoint : { ...endpoint, failingSince: attempt.startedAt }
    )
  ),
  after(
    fault("settle", "disables an endpoint without a new version", Queues.disablesEndpoint),
    (state, _, [{ endpoint }]) =>
      edit(state.endpoints, endpoint.id, (stored) => ({ ...stored, updatedAt: endpoint.updatedAt }))
  )
]

const paces: ReadonlyArray<Broken> = [
  before(fault("claim", "counts an endpoint's rate per claim", Pace.holdsRate), (state) => state.claimTimes.clear()),
  after(fault("release", "forgets released claims in the rate", Pace.countsWhatWasGivenBack), (state) =>
    state.claimTimes.clear()
  ),
  before(fault("claim", "applies one endpoint's rate to all", Pace.rateIsItsOwn), (state) => {
    const maxPerSecond = [...state.endpoints.values()].find((endpoint) => endpoint.maxPerSecond)?.maxPerSecond
    if (maxPerSecond !== undefined) editAll(state.endpoints, (endpoint) => ({ ...endpoint, maxPerSecond }))
  })
]

const reporting = (
  how: string,
  change: (recorded: AttemptRecorded, state: State) => AttemptRecorded,
  caughtBy: Broken["caughtBy"]
): Broken => answering(fault("settle", how, ...caughtBy), change)

const unconditional = ({
  event: _,
  onlyIf: __,
  ...always
}: Extract<AfterAttempt, { readonly _tag: "DisableEndpoint" }>) => always

const failing: ReadonlyArray<Broken> = [
  reporting(
    "reports the failing days again",
    (recorded, state) => {
      state.failingDays.clear()
      return recorded
    },
    [Failing.tellsDaysOnce]
  ),
  around(
    fault("settle", "remembers failing days after a success", Failing.tellsDaysAnew),
    (state, [{ endpoint }]) => state.failingDays.get(endpoint.id) ?? 0,
    (days, state, [{ endpoint }]) =>
      state.failingDays.set(endpoint.id, Math.max(days, state.failingDays.get(endpoint.id) ?? 0))
  ),
  asking(
    fault(
      "settle",
      "disables an endpoint that has recovered",
      Failing.disablesWhatStillFails,
      OptIn.tellsOfTheAttemptThatDisabled
    ),
    ([due, attempt, next]) => [due, attempt, next._tag === "DisableEndpoint" ? unconditional(next) : next]
  ),
  asking(
    fault("settle", "disables an endpoint for an attempt at its former url", Failing.disablesWhereItWasSent),
    ([due, ...rest], state) => [
      { ...due, endpoint: { ...due.endpoint, url: state.endpoints.get(due.endpoint.id)?.url ?? "" } },
      ...rest
    ]
  ),
  answering(
    fault("settle", "reports the requested consequence, not the one that applied", Failing.tellsWhatApplied),
    (recorded, _, [, , after]) => ({ ...recorded, applied: after._tag })
  ),
  reporting(
    "reports with every record that the endpoint is disabled",
    (recorded) => ({ ...recorded, disabled: true }),
    [Failing.tellsDisablingOnce]
  )
]

const counting = (
  how: string,
  change: (stats: DeliveryStats, state: State) => DeliveryStats,
  caughtBy: Broken["caughtBy"]
): Broken => answering(fault("stats", how, ...caughtBy), change)

const inSteady = (stats: DeliveryStats, change: Partial<LaneStats>): DeliveryStats => ({
  ...stats,
  lanes: { ...stats.lanes, steady: { ...stats.lanes.steady, ...change } }
})

const stats: ReadonlyArray<Broken> = [
  counting(
    "counts what is not due yet",
    (found, { deliveries }) =>
      inSteady(found, {
        backlog: [...deliveries.values()].filter(({ delivery }) => delivery.status === "PENDING").length
      }),
    [Stats.tellsBacklog, Stats.tellsLanes, Stats.countsUpToLimit, Stats.tellsDisabled]
  ),
  counting(
    "returns when the latest became due",
    (found, { deliveries }) =>
      inSteady(found, {
        dueSince: [...deliveries.values()]
          .flatMap(({ delivery: { nextAttemptAt } }) => nextAttemptAt ?? [])
          .reduce<DateTime.Utc | undefined>((a, b) => (a === undefined ? b : DateTime.max(a, b)), undefined)
      }),
    [Stats.tellsBacklog, Stats.tellsLanes]
  ),
  counting(
    "returns one backlog for all endpoints",
    (found) => {
      const all = Object.values(found.lanes).find(({ backlog }) => backlog > 0)
      return all === undefined ? found : { ...found, lanes: { ...found.lanes, steady: all } }
    },
    [Stats.tellsLanes]
  ),
  counting("counts no disabled endpoints", (found) => ({ ...found, disabledEndpoints: 0 }), [Stats.tellsDisabled])
]

const ofDueEndpoints = (how: string) => fault("dueEndpoints", how, Stats.tellsDueEndpoints)

const dueEndpoints: ReadonlyArray<Broken> = [
  asking(ofDueEndpoints("tells the named endpoints too"), ([now, limit]) => [now, limit, []]),
  asking(ofDueEndpoints("tells no more than one due endpoint"), ([now, , without]) => [now, 1, without]),
  asking(ofDueEndpoints("tells more due endpoints than asked for"), ([now, , without]) => [now, 100, without]),
  answering(ofDueEndpoints("leaves out endpoints whose due deliveries have senders"), (found, { deliveries }) =>
    found.filter(({ id }) =>
      [...deliveries.values()].some(({ delivery, leasedUntil }) => delivery.endpointId === id && !leasedUntil)
    )
  ),
  answering(ofDueEndpoints("tells disabled endpoints"), (found, { endpoints }) => [
    ...found,
    ...[...endpoints.values()].filter(({ status }) => status === "DISABLED")
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [
  ...claims,
  ...records,
  ...paces,
  ...failing,
  ...stats,
  ...dueEndpoints
]
