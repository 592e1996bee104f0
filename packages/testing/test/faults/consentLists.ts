import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { specified } from "@surety/core/consumer/IdentityField"
import { pendingRequestOf } from "@surety/core/memory/consent/MemoryConsentLog"
import type { StoredDataRequest } from "@surety/core/memory/MemoryState"
import * as Codes from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as Log from "@surety/testing/consent/ConsentLogLaws"
import * as Person from "@surety/testing/consent/ConsentPersonLaws"
import * as Scopes from "@surety/testing/consent/ConsentScopeLaws"
import * as Upkeep from "@surety/testing/consent/ConsentUpkeepLaws"
import * as Links from "@surety/testing/consent/ManagementLinkStoreLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  broken,
  countingPages,
  editAll,
  faultsOf,
  instead,
  lookingFirst,
  lookThenAct,
  type State
} from "./Fault.js"

const ofLog = faultsOf(ConsentLog)

const lists: ReadonlyArray<Broken> = [
  instead(
    ofLog("listRequests", "counts requests for a cursor", Log.listsRequests),
    (list) => (listing, filter, page) => countingPages((all) => list(listing, filter, all))(page)
  ),
  instead(
    ofLog("listGrants", "counts grants for a cursor", Log.listsGrants),
    (list) => (listing, filter, page) => countingPages((all) => list(listing, filter, all))(page)
  ),
  instead(
    ofLog("listReads", "counts reads for a cursor", Log.listsReads),
    (list) => (listing, filter, page) => countingPages((all) => list(listing, filter, all))(page)
  ),
  asking(ofLog("listReceipts", "ignores whose receipts are listed", Log.listsReceipts), ([scope, , page]) => [
    scope,
    { userId: undefined },
    page
  ]),
  asking(ofLog("listRequests", "lists LIVE only to the operator", Log.listsForOperator), ([listing, filter, page]) => [
    listing.merchantId === undefined ? { ...listing, environment: "LIVE" as const } : listing,
    filter,
    page
  ]),
  answering(ofLog("findByToken", "hides a decided request from its link", Log.findsByToken), (found) =>
    Option.filter(found, ({ request }) => request.status === "PENDING")
  ),
  asking(ofLog("listPending", "lists expired requests as pending", Log.listsPending), ([environment, , page]) => [
    environment,
    DateTime.makeUnsafe(0),
    page
  ]),
  asking(ofLog("findRequest", "shows every merchant every request", Scopes.strangersSeeNothing), ([target]) => [
    { ...target, scope: undefined }
  ]),
  answering(
    ofLog("findGrant", "finds nothing of TEST without a scope", Scopes.anybodysWithoutScope),
    (found, _, [{ scope }]) => Option.filter(found, ({ environment }) => scope !== undefined || environment === "LIVE")
  ),
  answering(
    ofLog("listPersonReceipts", "lists a person's receipts at one merchant only", Person.listsPersonReceipts),
    ({ data, nextCursor }) => ({
      data: data.filter(({ merchantId }) => merchantId === data[0]?.merchantId),
      nextCursor
    })
  ),
  instead(
    ofLog("findPersonReceipt", "finds any person's receipt", Person.findsPersonReceipt),
    (_, state) => (_listing, _userId, id) => Effect.sync(() => Option.fromUndefinedOr(state.receipts.get(id)))
  ),
  instead(
    ofLog("lastReads", "searches the newest reads of all merchants together", Person.findsLastReads),
    (lastReads, state) => (grants) =>
      Effect.map(lastReads(grants), (found) => {
        const newest = new Set([...state.identityReads.keys()].slice(-10))
        return found.filter(({ read }) => newest.has(read.id))
      })
  ),
  instead(
    ofLog("lastReads", "takes every read by a grant's merchant for one under it", Person.findsLastReads),
    (lastReads) => (grants) => lastReads(grants.map((grant) => ({ ...grant, fields: specified })))
  ),
  instead(
    ofLog("lastReads", "takes reads before a grant for ones under it", Person.findsLastReads),
    (lastReads) => (grants) => lastReads(grants.map((grant) => ({ ...grant, grantedAt: DateTime.makeUnsafe(0) })))
  ),
  instead(
    ofLog("listDisowned", "lists every denial as disowned", Person.listsDisowned),
    (_, __, { listRequests }) =>
      (environment, page) =>
        listRequests({ merchantId: undefined, environment }, { userId: undefined }, page)
  )
]

const ofUpkeep = faultsOf(ConsentUpkeep)

/** Returns the pending requests whose notification is due, including those that are past their expiry. */
const dueAt = (state: State, now: DateTime.Utc): ReadonlyArray<StoredDataRequest> =>
  [...state.dataRequests.values()].filter(
    ({ notifyAt, request }) =>
      notifyAt !== undefined && DateTime.isLessThanOrEqualTo(notifyAt, now) && request.status === "PENDING"
  )

const upkeep: ReadonlyArray<Broken> = [
  answering(
    ofUpkeep("lapsed", "finds lapsed records of LIVE only", Upkeep.worksForAll),
    ({ grants, requests }, state) => ({
      requests: requests.filter((id) => state.dataRequests.get(id)?.request.environment === "LIVE"),
      grants: grants.filter((id) => state.grants.get(id)?.environment === "LIVE")
    })
  ),
  instead(
    ofUpkeep("lapsed", "finds the shortest due first", Upkeep.findsLapsed),
    (lapsed) => (now) =>
      Effect.map(lapsed(now, 1_000), ({ grants, requests }) => ({
        requests: requests.toReversed(),
        grants: grants.toReversed()
      }))
  ),
  instead(
    ofUpkeep("claimNotifications", "takes a claimed notification for sent", Upkeep.claimsNotifications),
    (claim, _, { recordNotified }) =>
      (wanted) =>
        Effect.tap(claim(wanted), (due) => Effect.forEach(due, ({ request }) => recordNotified(request.id)))
  ),
  instead(
    ofUpkeep("recordNotified", "drops the reminder", Upkeep.putsNotificationsOff),
    (record) => (id) => record(id)
  ),
  instead(
    ofUpkeep("putOffNotification", "makes a notification due again that was none", Upkeep.putsNotificationsOff),
    (_, state) => (id, at) =>
      Effect.sync(() => {
        const stored = state.dataRequests.get(id)
        const request = stored && { ...stored.request, status: "PENDING" as const }
        if (stored && request) state.dataRequests.set(id, { ...stored, request, notifyAt: at })
      })
  ),
  instead(
    ofUpkeep("claimNotifications", "claims notifications of expired requests", Upkeep.claimsOnlyPending),
    (_, state) =>
      ({ now }) =>
        Effect.sync(() => dueAt(state, now).map((stored) => pendingRequestOf(state, stored)))
  ),
  lookingFirst(
    ofUpkeep("claimNotifications", "finds due notifications before it claims them", Upkeep.oneSenderEach),
    (state, [{ now }]) => dueAt(state, now),
    (due, _, [{ againAt }], state) =>
      Effect.sync(() =>
        due.map((stored) => {
          state.dataRequests.set(stored.request.id, { ...stored, notifyAt: againAt })
          return pendingRequestOf(state, stored)
        })
      )
  ),
  after(
    ofUpkeep("forgetAnswers", "forgets the responses of pending requests", Upkeep.forgetsAnswers),
    (state, _, [madeBefore]) =>
      editAll(state.dataRequests, (stored) =>
        DateTime.isLessThan(stored.request.createdAt, madeBefore) ? { ...stored, kept: undefined } : stored
      )
  )
]

const ofLinks = faultsOf(ManagementLinkStore)

const links: ReadonlyArray<Broken> = [
  instead(
    ofLinks("keep", "keeps the last link of a token", Links.keepsLinks, Links.keepsOne),
    (keep, state) => (link) =>
      Effect.tap(keep(link), (isKnown) =>
        Effect.sync(() => void (isKnown && state.managementLinks.set(link.tokenHash, link)))
      )
  ),
  instead(
    ofLinks("keep", "keeps links of people who are gone", Links.knowsPerson),
    (_, state) => (link) =>
      Effect.sync(() => {
        if (!state.managementLinks.has(link.tokenHash)) state.managementLinks.set(link.tokenHash, link)
        return true
      })
  ),
  asking(ofLinks("forget", "forgets valid links", Links.forgetsLinks), ([, limit]) => [
    DateTime.makeUnsafe(8_640_000_000_000_000),
    limit
  ])
]

const codes: ReadonlyArray<Broken> = [
  broken(
    CodeChallengeStore,
    "reads a challenge before the commit",
    [Codes.countsTries, Codes.countsSends, Codes.oneIsRight],
    (_, state) => ({
      change: (link, decide) =>
        lookThenAct(
          () => decide(state.codeChallenges.get(link)),
          ({ answer, next }) =>
            Effect.sync(() => {
              if (next !== undefined) state.codeChallenges.set(link, next)
              return answer
            })
        )
    })
  ),
  broken(CodeChallengeStore, "forgets a challenge that is only read", [Codes.keepsChallenges], (_, state) => ({
    change: (link, decide) =>
      Effect.sync(() => {
        const { answer, next } = decide(state.codeChallenges.get(link))
        state.codeChallenges.delete(link)
        if (next !== undefined) state.codeChallenges.set(link, next)
        return answer
      })
  })),
  instead(
    faultsOf(CodeChallengeStore)("forget", "forgets every challenge", Codes.forgetsChallenges),
    (_, state) => () =>
      Effect.sync(() => {
        const { size } = state.codeChallenges
        state.codeChallenges.clear()
        return size
      })
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...lists, ...upkeep, ...links, ...codes]
