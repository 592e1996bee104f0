import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { DataRequestSnapshot } from "@surety/core/consent/request/decideDataRequest"
import {
  controllerIn,
  readSnapshotOf,
  requestOf,
  requestSnapshotOf,
  writeConsent,
  writeRepeat,
  writeRequest
} from "@surety/core/memory/consent/MemoryConsentStore"
import { append, makeDue } from "@surety/core/memory/event/MemoryOutbox"
import { scopedKey } from "@surety/core/memory/MemoryState"
import * as Atomicity from "@surety/testing/consent/ConsentAtomicityLaws"
import * as Decisions from "@surety/testing/consent/ConsentDecisionLaws"
import * as Requests from "@surety/testing/consent/ConsentRequestLaws"
import * as Scopes from "@surety/testing/consent/ConsentScopeLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"

type Store = ConsentStore["Service"]

/** Stores a request as decided on a snapshot that may be wrong or old, and checks nothing. */
const requestUnchecked = (
  state: State,
  decide: Parameters<Store["request"]>[1],
  snapshot: DataRequestSnapshot
): ReturnType<Store["request"]> =>
  Effect.sync(() => {
    const decision = decide(snapshot)
    if (decision._tag === "Execute") writeRequest(state, decision.plan)
    if (decision._tag === "Repeat") writeRepeat(state, decision.plan)
    return decision
  })

/** Requests as it should, and then does something to what was stored. */
const afterRequest =
  (sound: Store, spoil: (id: string) => void): Store["request"] =>
  (lookup, decide) =>
    Effect.tap(sound.request(lookup, decide), (decision) =>
      Effect.sync(() => {
        if (decision._tag === "Execute") spoil(decision.plan.request.id)
      })
    )

const requests: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "knows no merchant's own purpose when a request is decided",
    (sound) => ({
      request: (lookup, decide) => sound.request(lookup, (seen) => decide({ ...seen, ownPurpose: undefined }))
    }),
    [Requests.seesOwnPurpose]
  ),
  broken(
    ConsentStore,
    "knows no merchant's own purpose when a grant is given",
    (sound) => ({
      grant: (lookup, decide) => sound.grant(lookup, (seen) => decide({ ...seen, ownPurpose: undefined }))
    }),
    [Requests.seesOwnPurpose]
  ),
  broken(
    ConsentStore,
    "forgets the link",
    (sound, state) => ({
      request: afterRequest(sound, (id) => {
        for (const stored of state.dataRequests.values()) {
          if (stored.request.id === id) state.dataRequests.set(stored.request.id, { ...stored, link: undefined })
        }
      })
    }),
    [Requests.storesRequest, Requests.replays]
  ),
  broken(
    ConsentStore,
    "takes every new request for pending",
    (sound, state) => ({
      request: afterRequest(sound, (id) => {
        for (const stored of state.dataRequests.values()) {
          const { request } = stored
          if (request.id === id)
            state.dataRequests.set(request.id, { ...stored, request: { ...request, status: "PENDING" } })
        }
      })
    }),
    [Requests.storesApproved]
  ),
  broken(
    ConsentStore,
    "takes ended grants for active",
    (_, state) => ({
      request: (lookup, decide) =>
        Effect.suspend(() => {
          const grants = readSnapshotOf(state, lookup).grants
          return requestUnchecked(state, decide, { ...requestSnapshotOf(state, lookup), grants })
        })
    }),
    [Requests.snapshotsTheState]
  ),
  broken(
    ConsentStore,
    "forgets the key",
    (sound, state) => ({ request: afterRequest(sound, () => state.dataRequestsByKey.clear()) }),
    [Requests.replays, Requests.refusesReusedKey]
  ),
  broken(
    ConsentStore,
    "keeps the key of a refused request",
    (sound) => {
      const refused = new Set<string>()
      return {
        request: (lookup, decide) => {
          const key = scopedKey(lookup.scope, lookup.idempotencyKey)
          if (refused.has(key)) return Effect.succeed({ _tag: "KeyReused" })
          return Effect.tap(sound.request(lookup, decide), ({ _tag }) =>
            Effect.sync(() => {
              if (_tag === "Refuse") refused.add(key)
            })
          )
        }
      }
    },
    [Requests.refusalLeavesKeyFree]
  ),
  broken(
    ConsentStore,
    "looks for the key before, not when it stores the request",
    (_, state) => ({
      request: (lookup, decide) =>
        lookThenAct(
          () => requestSnapshotOf(state, lookup),
          (snapshot) => requestUnchecked(state, decide, snapshot)
        )
    }),
    [Requests.oneRequestPerKey, Requests.oneMeaningPerKey]
  ),
  broken(
    ConsentStore,
    "leaves the key of a request that could not be stored taken",
    (sound, state) => ({
      request: (lookup, decide) =>
        Effect.onError(sound.request(lookup, decide), () =>
          Effect.sync(() => {
            const [taken] = state.dataRequestsByKey.values()
            if (taken) state.dataRequestsByKey.set(scopedKey(lookup.scope, lookup.idempotencyKey), taken)
          })
        )
    }),
    [Atomicity.requestsAllOrNothing]
  ),
  broken(
    ConsentStore,
    "has one set of keys for all merchants",
    (sound, state) => ({
      request: (lookup, decide) =>
        Effect.suspend(() => {
          const isTaken = [...state.dataRequestsByKey.keys()].some((key) => key.endsWith(`/${lookup.idempotencyKey}`))
          return isTaken ? Effect.succeed({ _tag: "KeyReused" }) : sound.request(lookup, decide)
        })
    }),
    [Scopes.strangersShareNames]
  )
]

/** Decides on a request that may be wrong or old, stores all but the receipt, and checks nothing. */
const decideUnchecked = (
  state: State,
  decide: Parameters<Store["decide"]>[1],
  request: ReturnType<typeof requestOf>
): ReturnType<Store["decide"]> =>
  Effect.sync(() => {
    if (request === undefined) return Option.none()
    const decision = decide({ request, controller: controllerIn(state, request.merchantId) })
    if (decision._tag === "Execute") {
      writeConsent(state, decision.plan)
      for (const event of decision.plan.events) append(state, event, request.id)
    }
    return Option.some(decision)
  })

const decisions: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "forgets the last event",
    (sound, state) => ({
      decide: (target, decide) =>
        Effect.tap(sound.decide(target, decide), (decision) =>
          Effect.sync(() => {
            const event =
              Option.isSome(decision) && decision.value._tag === "Execute" && decision.value.plan.events.at(-1)
            if (event) state.events.delete(event.id)
          })
        )
    }),
    [Decisions.commitsApproval, Decisions.commitsOthers, Decisions.oneDecisionWins]
  ),
  broken(
    ConsentStore,
    "sends events to every endpoint there is",
    (sound, state) => ({
      decide: (target, decide) =>
        Effect.tap(sound.decide(target, decide), (decision) =>
          Effect.sync(() => {
            const events =
              Option.isSome(decision) && decision.value._tag === "Execute" ? decision.value.plan.events : []
            for (const event of events) {
              for (const endpoint of state.endpoints.values()) makeDue(state, event, endpoint, event.occurredAt)
            }
          })
        )
    }),
    [Decisions.tellsEndpoints]
  ),
  broken(
    ConsentStore,
    "decides on every request as if nobody had",
    (_, state) => ({
      decide: (target, decide) =>
        Effect.suspend(() => {
          const request = requestOf(state, target)
          return decideUnchecked(state, decide, request && { ...request, status: "PENDING" })
        })
    }),
    [Decisions.firstDecisionStands]
  ),
  broken(
    ConsentStore,
    "looks whether a request is pending before, not when it stores the decision",
    (_, state) => ({
      decide: (target, decide) =>
        lookThenAct(
          () => requestOf(state, target),
          (request) => decideUnchecked(state, decide, request)
        )
    }),
    [Decisions.oneDecisionWins]
  ),
  broken(
    ConsentStore,
    "takes a request that there is not for one without a fault",
    (sound) => ({
      decide: (target, decide) =>
        Effect.map(sound.decide(target, decide), (decision) =>
          Option.orElseSome(decision, () => ({ _tag: "Invalid", faults: [] }))
        )
    }),
    [Decisions.noSuchRequest]
  ),
  broken(
    ConsentStore,
    "moves a request on although its grant or receipt could not be stored",
    (sound, state) => ({
      decide: (target, decide) =>
        Effect.onError(sound.decide(target, decide), () =>
          Effect.sync(() => {
            const stored = state.dataRequests.get(target.id)
            if (stored === undefined) return
            state.dataRequests.set(target.id, { ...stored, request: { ...stored.request, status: "APPROVED" } })
          })
        )
    }),
    [Atomicity.approvesAllOrNothing]
  ),
  broken(
    ConsentStore,
    "lets every merchant decide on every request",
    (sound) => ({ decide: (target, decide) => sound.decide({ ...target, scope: undefined }, decide) }),
    [Scopes.strangersChangeNothing]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...requests, ...decisions]
