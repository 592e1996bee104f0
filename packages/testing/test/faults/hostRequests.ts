import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import * as Requests from "@surety/testing/host/HostRequestStoreLaws"
import * as Upkeep from "@surety/testing/host/HostRequestUpkeepLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  edit,
  editAll,
  faultsOf,
  instead,
  lookingFirst
} from "./Fault.js"

const ofRequests = faultsOf(HostRequestStore)

export const brokenStores: ReadonlyArray<Broken> = [
  instead(
    ofRequests("enqueue", "keeps the first request of a key and says nothing of others", Requests.queuesOnce),
    (enqueue, state) => (request) => {
      const known = state.hostRequests.get(request.key)
      return known === undefined ? enqueue(request) : Effect.succeed(known.request)
    }
  ),
  before(ofRequests("enqueue", "forgets a key once its request has ended", Requests.queuesOnce), (state, [{ key }]) => {
    if (state.hostRequests.get(key)?.request.status !== "PENDING") state.hostRequests.delete(key)
  }),
  lookingFirst(
    ofRequests("enqueue", "looks for the key first and queues later", Requests.queuesOnceAtOnce),
    (state, [{ key }]) => state.hostRequests.has(key),
    (isKnown, enqueue, [request], state) =>
      Effect.suspend(() => {
        if (!isKnown) state.hostRequests.delete(request.key)
        return enqueue(request)
      })
  ),
  lookingFirst(
    ofRequests("claim", "leases what another worker has leased meanwhile", Requests.leasesToOne),
    (state) => new Map([...state.hostRequests].map(([key, { leasedUntil }]) => [key, leasedUntil])),
    (seen, claim, args, state) =>
      Effect.suspend(() => {
        for (const [key, leasedUntil] of seen) edit(state.hostRequests, key, (stored) => ({ ...stored, leasedUntil }))
        return claim(...args)
      })
  ),
  before(ofRequests("claim", "forgets the leases", Requests.leasesToOne, Upkeep.keepsProgress), (state) =>
    editAll(state.hostRequests, (stored) => ({ ...stored, leasedUntil: undefined }))
  ),
  answering(ofRequests("claim", "counts no attempts", Requests.leasesToOne), (claimed) =>
    claimed.map((leased) => ({ ...leased, attempts: 0 }))
  ),
  before(
    ofRequests("claim", "leases an abandoned request among others", Upkeep.leasesAbandonedAlone),
    (state, [{ now }]) =>
      editAll(state.hostRequests, (stored) =>
        stored.leasedUntil !== undefined && DateTime.isLessThanOrEqualTo(stored.leasedUntil, now)
          ? { ...stored, leasedUntil: undefined }
          : stored
      )
  ),
  instead(
    ofRequests("enqueue", "cuts what is too long", Upkeep.refusesPayloads),
    (enqueue) => (request) =>
      Effect.catchTag(enqueue(request), "StoreError", () => enqueue({ ...request, payload: {} }))
  ),
  before(ofRequests("claim", "knows no queues", Requests.keepsOrder), (state) =>
    editAll(state.hostRequests, (stored) => ({ ...stored, request: { ...stored.request, queue: undefined } }))
  ),
  before(
    ofRequests("claim", "leases what is not due yet", Upkeep.keepsProgress, Requests.keepsOrder),
    (state, [{ now }]) =>
      editAll(state.hostRequests, (stored) => ({ ...stored, dueAt: DateTime.min(stored.dueAt, now) }))
  ),
  instead(
    ofRequests("settle", "asks for no fence", Requests.settlesWithWork),
    (settle, state) => (leased, now, work) =>
      Effect.suspend(() =>
        settle({ ...leased, fence: state.hostRequests.get(leased.key)?.fence ?? leased.fence }, now, work)
      )
  ),
  instead(
    ofRequests("settle", "runs the work before it looks at the lease", Requests.settlesWithWork),
    (settle) => (leased, now, work) => Effect.flatMap(work, (outcome) => settle(leased, now, Effect.succeed(outcome)))
  ),
  instead(
    ofRequests("settle", "locks nothing while the work runs", Requests.excludesOthers),
    (settle, state) => (leased, now, work) =>
      Effect.suspend(() => {
        const stored = state.hostRequests.get(leased.key)
        return stored?.fence === leased.fence && stored.request.status === "PENDING"
          ? Effect.flatMap(work, (outcome) => settle(leased, now, Effect.succeed(outcome)))
          : Effect.succeed(Option.none())
      })
  ),
  instead(
    ofRequests("settle", "forgets what was begun", Upkeep.keepsProgress),
    (settle, state) => (leased, now, work) =>
      Effect.tap(settle(leased, now, work), () =>
        Effect.sync(() =>
          edit(state.hostRequests, leased.key, (stored) => ({
            ...stored,
            request: { ...stored.request, result: undefined }
          }))
        )
      )
  ),
  answering(ofRequests("stats", "counts one too few", Upkeep.countsPending), (stats) => ({
    ...stats,
    pending: Math.max(0, stats.pending - 1)
  })),
  asking(ofRequests("stats", "counts without a limit", Upkeep.countsPending), () => [Number.MAX_SAFE_INTEGER]),
  asking(ofRequests("forget", "deletes without a limit", Upkeep.forgetsEnded), ([time]) => [
    time,
    Number.MAX_SAFE_INTEGER
  ]),
  asking(ofRequests("forget", "deletes what ended later", Upkeep.forgetsEnded), ([time, limit]) => [
    DateTime.add(time, { milliseconds: 1 }),
    limit
  ]),
  after(faultsOf(PersonStore)("erase", "leaves what was queued of an erased person", Upkeep.forgetsErased), (state) =>
    editAll(state.hostRequests, (stored) => ({
      ...stored,
      request: { ...stored.request, status: "PENDING" as const, endedAt: undefined, error: undefined }
    }))
  )
]
