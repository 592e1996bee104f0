import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { pendingOf } from "@surety/core/memory/consent/MemoryConsentLog"
import type { StoredDataRequest } from "@surety/core/memory/MemoryState"
import * as Log from "@surety/testing/consent/ConsentLogLaws"
import * as Scopes from "@surety/testing/consent/ConsentScopeLaws"
import * as Upkeep from "@surety/testing/consent/ConsentUpkeepLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, countingPages, lookThenAct, type State } from "./Broken.js"

const lists: ReadonlyArray<Broken> = [
  broken(
    ConsentLog,
    "counts requests for a cursor",
    (sound) => ({
      listRequests: (listing, filter, page) => countingPages((all) => sound.listRequests(listing, filter, all))(page)
    }),
    [Log.listsRequests]
  ),
  broken(
    ConsentLog,
    "counts grants for a cursor",
    (sound) => ({
      listGrants: (listing, filter, page) => countingPages((all) => sound.listGrants(listing, filter, all))(page)
    }),
    [Log.listsGrants]
  ),
  broken(
    ConsentLog,
    "counts readings for a cursor",
    (sound) => ({
      listReads: (listing, filter, page) => countingPages((all) => sound.listReads(listing, filter, all))(page)
    }),
    [Log.listsReads]
  ),
  broken(
    ConsentLog,
    "lists everybody's receipts where one person's are asked for",
    (sound) => ({ listReceipts: (scope, _, page) => sound.listReceipts(scope, { userId: undefined }, page) }),
    [Log.listsReceipts]
  ),
  broken(
    ConsentLog,
    "shows the operator LIVE alone",
    (sound) => ({
      listRequests: (listing, filter, page) =>
        listing.merchantId === undefined
          ? sound.listRequests({ ...listing, environment: "LIVE" }, filter, page)
          : sound.listRequests(listing, filter, page)
    }),
    [Log.listsForOperator]
  ),
  broken(
    ConsentLog,
    "finds no request that is decided by its link",
    (sound) => ({
      findByToken: (tokenHash) =>
        Effect.map(
          sound.findByToken(tokenHash),
          Option.filter(({ request }) => request.status === "PENDING")
        )
    }),
    [Log.findsByToken]
  ),
  broken(
    ConsentLog,
    "lists what has expired among what waits",
    (sound) => ({
      listPending: (environment, _, page) => sound.listPending(environment, DateTime.makeUnsafe(0), page)
    }),
    [Log.listsPending]
  ),
  broken(
    ConsentLog,
    "shows every merchant every request",
    (sound) => ({ findRequest: (target) => sound.findRequest({ ...target, scope: undefined }) }),
    [Scopes.strangersSeeNothing]
  ),
  broken(
    ConsentLog,
    "finds nothing of TEST without a scope",
    (sound) => ({
      findGrant: (target) =>
        Effect.map(
          sound.findGrant(target),
          Option.filter(({ environment }) => target.scope !== undefined || environment === "LIVE")
        )
    }),
    [Scopes.anybodysWithoutScope]
  )
]

/** The requests whose notice is due at the moment, whether or not they have expired. */
const dueAt = (state: State, now: DateTime.Utc): ReadonlyArray<StoredDataRequest> =>
  [...state.dataRequests.values()].filter(
    ({ notifyAt, request }) =>
      notifyAt !== undefined && DateTime.isLessThanOrEqualTo(notifyAt, now) && request.status === "PENDING"
  )

const upkeep: ReadonlyArray<Broken> = [
  broken(
    ConsentUpkeep,
    "does the upkeep of LIVE alone",
    (sound, state) => ({
      lapsed: (now, limit) =>
        Effect.map(sound.lapsed(now, limit), ({ grants, requests }) => ({
          requests: requests.filter((id) => state.dataRequests.get(id)?.request.environment === "LIVE"),
          grants: grants.filter((id) => state.grants.get(id)?.environment === "LIVE")
        }))
    }),
    [Upkeep.worksForAll]
  ),
  broken(
    ConsentUpkeep,
    "finds the shortest due first",
    (sound) => ({
      lapsed: (now) =>
        Effect.map(sound.lapsed(now, 1_000), ({ grants, requests }) => ({
          requests: [...requests].reverse(),
          grants: [...grants].reverse()
        }))
    }),
    [Upkeep.findsLapsed]
  ),
  broken(
    ConsentUpkeep,
    "takes a notice for sent once it was claimed",
    (sound) => ({
      claimNotices: (claim) =>
        Effect.tap(sound.claimNotices(claim), (due) =>
          Effect.forEach(due, ({ request }) => sound.recordNotified(request.id))
        )
    }),
    [Upkeep.claimsNotices]
  ),
  broken(ConsentUpkeep, "forgets to remind", (sound) => ({ recordNotified: (id) => sound.recordNotified(id) }), [
    Upkeep.putsNoticesOff
  ]),
  broken(
    ConsentUpkeep,
    "makes notices due of requests that none is due of any more",
    (_, state) => ({
      putOffNotice: (id, at) =>
        Effect.sync(() => {
          const stored = state.dataRequests.get(id)
          const request = stored && { ...stored.request, status: "PENDING" as const }
          if (stored && request) state.dataRequests.set(id, { ...stored, request, notifyAt: at })
        })
    }),
    [Upkeep.putsNoticesOff]
  ),
  broken(
    ConsentUpkeep,
    "gives notices of requests that have expired",
    (_, state) => ({
      claimNotices: ({ now }) => Effect.sync(() => dueAt(state, now).map((stored) => pendingOf(state, stored)))
    }),
    [Upkeep.claimsOnlyPending]
  ),
  broken(
    ConsentUpkeep,
    "looks what is due before, not when it gives it to a sender",
    (_, state) => ({
      claimNotices: ({ againAt, now }) =>
        lookThenAct(
          () => dueAt(state, now),
          (due) =>
            Effect.sync(() =>
              due.map((stored) => {
                state.dataRequests.set(stored.request.id, { ...stored, notifyAt: againAt })
                return pendingOf(state, stored)
              })
            )
        )
    }),
    [Upkeep.oneSenderEach]
  ),
  broken(
    ConsentUpkeep,
    "forgets the answers of requests that still wait",
    (sound, state) => ({
      forgetAnswers: (madeBefore, limit) =>
        Effect.tap(sound.forgetAnswers(madeBefore, limit), () =>
          Effect.sync(() => {
            for (const stored of state.dataRequests.values()) {
              if (DateTime.isLessThan(stored.request.createdAt, madeBefore)) {
                state.dataRequests.set(stored.request.id, { ...stored, kept: undefined })
              }
            }
          })
        )
    }),
    [Upkeep.forgetsAnswers]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...lists, ...upkeep]
