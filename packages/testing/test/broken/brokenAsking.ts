import { isBlocking } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { DataRequestDecision, DataRequestSnapshot } from "@surety/core/consent/request/decideDataRequest"
import { requestSnapshotOf, writeRepeat, writeRequest } from "@surety/core/memory/consent/MemoryConsentStore"
import { scopedKey } from "@surety/core/memory/MemoryState"
import * as Asking from "@surety/testing/consent/ConsentAskingLaws"
import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as Upkeep from "@surety/testing/consent/ConsentUpkeepLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"

type Store = ConsentStore["Service"]

/** Decides on a snapshot that is not what is stored. */
const seeing =
  (sound: Store, change: (seen: DataRequestSnapshot, lookup: Parameters<Store["request"]>[0]) => DataRequestSnapshot) =>
  (lookup: Parameters<Store["request"]>[0], decide: Parameters<Store["request"]>[1]) =>
    sound.request(lookup, (seen) => decide(change(seen, lookup)))

/** Stores what was decided and checks nothing. */
const store = (state: State, decision: DataRequestDecision) =>
  Effect.sync(() => {
    if (decision._tag === "Execute") writeRequest(state, decision.plan)
    if (decision._tag === "Repeat") writeRepeat(state, decision.plan)
    return decision
  })

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "makes a new request of a question that is open",
    (sound) => ({ request: seeing(sound, (seen) => ({ ...seen, open: undefined })) }),
    [Asking.oneOpenQuestion, Asking.repeatedKeysReplay]
  ),
  broken(
    ConsentStore,
    "takes a question that is decided or has expired for open",
    (sound, state) => ({
      request: seeing(sound, (seen, { scope }) => {
        const found = [...state.dataRequests.values()].find(
          ({ request }) => request.userId === seen.userId && request.merchantId === scope.merchantId
        )
        return found?.kept === undefined || seen.grants.length > 0
          ? seen
          : { ...seen, open: { request: found.request, answer: found.kept.answer, sealedUrl: found.link?.sealedUrl } }
      })
    }),
    [Asking.asksAgainAfterwards]
  ),
  broken(
    ConsentStore,
    "does not keep the key that found its question open",
    (sound, state) => ({
      request: (lookup, decide) =>
        Effect.tap(sound.request(lookup, decide), ({ _tag }) =>
          Effect.sync(() => {
            if (_tag === "Repeat") state.dataRequestsByKey.delete(scopedKey(lookup.scope, lookup.idempotencyKey))
          })
        )
    }),
    [Asking.repeatedKeysReplay]
  ),
  broken(
    ConsentStore,
    "looks for what was asked before, not when it stores",
    (_, state) => ({
      request: (lookup, decide) =>
        lookThenAct(
          () => requestSnapshotOf(state, lookup),
          (snapshot) => store(state, decide(snapshot))
        )
    }),
    [Asking.oneQuestionAtOnce, Asking.oneMeaningPerRepeatedKey, Asking.boundsHoldAtOnce]
  ),
  broken(
    ConsentStore,
    "forgets when a person said no",
    (sound) => ({
      request: seeing(sound, (seen) => ({ ...seen, history: seen.history && { ...seen.history, deniedAt: undefined } }))
    }),
    [Asking.keepsTheHistory]
  ),
  broken(
    ConsentStore,
    "counts nothing of what was asked",
    (sound) => ({
      request: seeing(sound, (seen) => ({
        ...seen,
        history: seen.history && { ...seen.history, madeAt: [], openUntil: [] }
      }))
    }),
    [Asking.keepsTheHistory, Asking.boundsHoldAtOnce]
  ),
  broken(
    ConsentStore,
    "bounds nobody in TEST",
    (sound) => ({
      request: seeing(sound, (seen, { scope }) =>
        scope.environment === "TEST" ? { ...seen, history: undefined } : seen
      )
    }),
    [Asking.boundsTestConsumers]
  ),
  broken(
    ConsentStore,
    "stores a denial without its block",
    (sound) => ({
      decide: (target, decide) =>
        sound.decide(target, (snapshot) => {
          const decision = decide(snapshot)
          return decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, block: undefined } } : decision
        })
    }),
    [Asking.disownedBlocks]
  ),
  broken(
    ConsentStore,
    "lifts every merchant's block on a person",
    (sound, state) => ({
      liftBlock: (scope, userId, liftedAt) =>
        Effect.tap(sound.liftBlock(scope, userId, liftedAt), () =>
          Effect.sync(() => {
            for (const [key, block] of state.askingBlocks) {
              if (block.userId === userId && isBlocking(block)) state.askingBlocks.set(key, { ...block, liftedAt })
            }
          })
        )
    }),
    [Asking.disownedBlocks]
  ),
  broken(
    ConsentLog,
    "lists the blocks of all merchants to each",
    (sound) => ({
      listBlocks: ({ environment }, page) => sound.listBlocks({ merchantId: undefined, environment }, page)
    }),
    [Asking.listsBlocks]
  ),
  broken(
    ConsentLog,
    "tells of no block with a request",
    (sound) => ({
      findByToken: (tokenHash) =>
        Effect.map(
          sound.findByToken(tokenHash),
          Option.map((found) => ({ ...found, blockedAs: undefined }))
        )
    }),
    [ConsentLogLaws.tellsWhoMayAsk]
  ),
  broken(
    ConsentUpkeep,
    "tells of no block with a notice",
    (sound) => ({
      claimNotices: (claim) =>
        Effect.map(sound.claimNotices(claim), (due) => due.map((one) => ({ ...one, blockedAs: undefined })))
    }),
    [Upkeep.noticesTellWhoMayAsk]
  ),
  broken(
    ConsentUpkeep,
    "forgets keys by when their request was made",
    (sound, state) => ({
      forgetAnswers: (madeBefore, limit) =>
        Effect.suspend(() => {
          for (const [key, stored] of state.dataRequestsByKey) {
            const made = state.dataRequests.get(stored.requestId)?.request.createdAt
            if (made !== undefined) state.dataRequestsByKey.set(key, { ...stored, keptSince: made })
          }
          return sound.forgetAnswers(madeBefore, limit)
        })
    }),
    [Upkeep.keepsLaterKeys]
  )
]
