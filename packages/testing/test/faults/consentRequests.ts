import { isBlocking } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { DataRequestSnapshot } from "@surety/core/consent/request/decideDataRequest"
import { requestSnapshotOf, writeRepeat, writeRequest } from "@surety/core/memory/consent/MemoryConsentStore"
import { readSnapshotOf } from "@surety/core/memory/consent/MemoryIdentityReads"
import { type StoredDataRequest, scopedKey } from "@surety/core/memory/MemoryState"
import * as Asking from "@surety/testing/consent/ConsentAskingLaws"
import * as Atomicity from "@surety/testing/consent/ConsentAtomicityLaws"
import * as Log from "@surety/testing/consent/ConsentLogLaws"
import * as Requests from "@surety/testing/consent/ConsentRequestLaws"
import * as Scopes from "@surety/testing/consent/ConsentScopeLaws"
import * as Upkeep from "@surety/testing/consent/ConsentUpkeepLaws"
import { Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  deciding,
  edit,
  faultsOf,
  instead,
  leaving,
  lookingFirst,
  type Row,
  type State,
  seeing
} from "./Fault.js"

type Store = ConsentStore["Service"]
type Decide = Parameters<Store["request"]>[1]

const fault = faultsOf(ConsentStore)

/** Decides from the given snapshot, which may be wrong or stale, and stores the result without any check. */
const storeUnchecked = (state: State, decide: Decide, snapshot: DataRequestSnapshot): ReturnType<Store["request"]> =>
  Effect.sync(() => {
    const decision = decide(snapshot)
    if (decision._tag === "Execute") writeRequest(state, decision.plan)
    if (decision._tag === "Repeat") writeRepeat(state, decision.plan)
    return decision
  })

const racing = (row: Row<Store["request"]>): Broken =>
  lookingFirst(
    row,
    (state, [lookup]) => requestSnapshotOf(state, lookup),
    (snapshot, _, [, decide], state) => storeUnchecked(state, decide, snapshot)
  )

const storing = (row: Row<Store["request"]>, change: (stored: StoredDataRequest) => StoredDataRequest): Broken =>
  after(row, (state, decision) => {
    if (decision._tag === "Execute") edit(state.dataRequests, decision.plan.request.id, change)
  })

const requests: ReadonlyArray<Broken> = [
  seeing(fault("request", "hides the merchant's own purpose from a request", Requests.seesOwnPurpose), (seen) => ({
    ...seen,
    ownPurpose: undefined
  })),
  seeing(fault("grant", "hides the merchant's own purpose from a grant", Requests.seesOwnPurpose), (seen) => ({
    ...seen,
    ownPurpose: undefined
  })),
  storing(fault("request", "forgets the link", Requests.storesRequest, Requests.replays), (stored) => ({
    ...stored,
    link: undefined
  })),
  storing(fault("request", "stores every request as pending", Requests.storesApproved), (stored) => ({
    ...stored,
    request: { ...stored.request, status: "PENDING" }
  })),
  instead(
    fault("request", "takes ended grants for active", Requests.snapshotsTheState),
    (_, state) => (lookup, decide) =>
      Effect.suspend(() => {
        const { grants } = readSnapshotOf(state, lookup)
        return storeUnchecked(state, decide, { ...requestSnapshotOf(state, lookup), grants })
      })
  ),
  after(
    fault("request", "forgets the key", Requests.replays, Requests.refusesReusedKey),
    (state, { _tag }) => _tag === "Execute" && state.dataRequestsByKey.clear()
  ),
  instead(fault("request", "keeps the key of a refused request", Requests.refusalLeavesKeyFree), (request) => {
    const refused = new Set<string>()
    return (lookup, decide) => {
      const key = scopedKey(lookup.scope, lookup.idempotencyKey)
      if (refused.has(key)) return Effect.succeed({ _tag: "KeyReused" })
      return Effect.tap(request(lookup, decide), ({ _tag }) => Effect.sync(() => _tag === "Refuse" && refused.add(key)))
    }
  }),
  racing(fault("request", "checks the key before the commit", Requests.oneRequestPerKey, Requests.oneMeaningPerKey)),
  leaving(
    fault("request", "keeps the key of a request that it could not store", Atomicity.requestsAllOrNothing),
    (state, [lookup]) => {
      const [taken] = state.dataRequestsByKey.values()
      if (taken) state.dataRequestsByKey.set(scopedKey(lookup.scope, lookup.idempotencyKey), taken)
    }
  ),
  instead(
    fault("request", "has one set of keys for all merchants", Scopes.strangersShareNames),
    (request, state) => (lookup, decide) =>
      Effect.suspend(() => {
        const isTaken = [...state.dataRequestsByKey.keys()].some((key) => key.endsWith(`/${lookup.idempotencyKey}`))
        return isTaken ? Effect.succeed({ _tag: "KeyReused" }) : request(lookup, decide)
      })
  )
]

const askings: ReadonlyArray<Broken> = [
  seeing(fault("request", "repeats an open request", Asking.oneOpenQuestion, Asking.repeatedKeysReplay), (seen) => ({
    ...seen,
    open: undefined
  })),
  seeing(
    fault("request", "takes a decided or expired request for open", Asking.asksAgainAfterwards),
    (seen, state, { scope }) => {
      const found = [...state.dataRequests.values()].find(
        ({ request }) => request.userId === seen.userId && request.merchantId === scope.merchantId
      )
      return found?.kept === undefined || seen.grants.length > 0
        ? seen
        : { ...seen, open: { request: found.request, answer: found.kept.answer, sealedUrl: found.link?.sealedUrl } }
    }
  ),
  after(
    fault("request", "forgets the key of a repeated request", Asking.repeatedKeysReplay),
    (state, { _tag }, [lookup]) =>
      _tag === "Repeat" && state.dataRequestsByKey.delete(scopedKey(lookup.scope, lookup.idempotencyKey))
  ),
  racing(
    fault(
      "request",
      "checks earlier requests before the commit",
      Asking.oneQuestionAtOnce,
      Asking.oneMeaningPerRepeatedKey,
      Asking.boundsHoldAtOnce
    )
  ),
  seeing(fault("request", "forgets a denial", Asking.keepsTheHistory), (seen) => ({
    ...seen,
    history: seen.history && { ...seen.history, deniedAt: undefined }
  })),
  seeing(fault("request", "counts no earlier request", Asking.keepsTheHistory, Asking.boundsHoldAtOnce), (seen) => ({
    ...seen,
    history: seen.history && { ...seen.history, madeAt: [], openUntil: [] }
  })),
  seeing(fault("request", "has no bounds in TEST", Asking.boundsTestConsumers), (seen, _, { scope }) =>
    scope.environment === "TEST" ? { ...seen, history: undefined } : seen
  ),
  deciding(
    fault("decide", "stores a denial without its block", Asking.disownedBlocks),
    (decision: ReturnType<Parameters<Store["decide"]>[1]>) =>
      decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, block: undefined } } : decision
  ),
  after(
    fault("liftBlock", "lifts every merchant's block on a person", Asking.disownedBlocks),
    (state, _, [, userId, liftedAt]) => {
      for (const [key, block] of state.askingBlocks) {
        if (block.userId === userId && isBlocking(block)) state.askingBlocks.set(key, { ...block, liftedAt })
      }
    }
  ),
  asking(
    faultsOf(ConsentLog)("listBlocks", "lists the blocks of all merchants to each", Asking.listsBlocks),
    ([{ environment }, filter, page]) => [{ merchantId: undefined, environment }, filter, page]
  ),
  asking(
    faultsOf(ConsentLog)("listBlocks", "lists the blocks of every person as one's", Asking.listsBlocks),
    ([listing, , page]) => [listing, { userId: undefined }, page]
  ),
  answering(faultsOf(ConsentLog)("findByToken", "hides a request's block", Log.tellsWhoMayAsk), (found) =>
    Option.map(found, (one) => ({ ...one, blockedAs: undefined }))
  ),
  answering(
    faultsOf(ConsentUpkeep)("claimNotifications", "hides a notification's block", Upkeep.noticesTellWhoMayAsk),
    (due) => due.map((one) => ({ ...one, blockedAs: undefined }))
  ),
  before(
    faultsOf(ConsentUpkeep)("forgetAnswers", "forgets keys by their request's age", Upkeep.keepsLaterKeys),
    (state) => {
      for (const [key, stored] of state.dataRequestsByKey) {
        const keptSince = state.dataRequests.get(stored.requestId)?.request.createdAt
        if (keptSince !== undefined) state.dataRequestsByKey.set(key, { ...stored, keptSince })
      }
    }
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...requests, ...askings]
