import { DateTime } from "effect"
import { type AskingBlock, type AskingBlockReason, isBlocking } from "../../consent/asking/AskingBlock.js"
import { askDay, isBounded } from "../../consent/asking/AskLimits.js"
import { type AskingHistory, isSameSet } from "../../consent/asking/decideAsk.js"
import type { ConsentStore, DataRequestLookup } from "../../consent/ConsentStore.js"
import { type DataRequest, isPending, wasAsked } from "../../consent/request/DataRequest.js"
import type { OpenDataRequest } from "../../consent/request/decideDataRequest.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { environmentKey, isOf, type MemoryState, type StoredDataRequest, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

/**
 * Returns all of the merchant's requests to the person. `same` is the subset with this purpose and the lookup's fields.
 */
export const questionsOf = (
  state: State,
  lookup: DataRequestLookup,
  userId: UserId,
  purpose: string
): { readonly all: ReadonlyArray<StoredDataRequest>; readonly same: ReadonlyArray<StoredDataRequest> } => {
  const all = [...state.dataRequests.values()].filter(
    ({ request }) => request.userId === userId && isOf(lookup.scope, request)
  )
  const same = all.filter(
    ({ request }) => request.purpose === purpose && isSameSet(request.requestedFields, lookup.requestedFields)
  )
  return { all, same }
}

/** Returns the pending request of `same` that also has the lookup's duration, if any. */
export const openIn = (
  same: ReadonlyArray<StoredDataRequest>,
  { duration, now }: DataRequestLookup
): OpenDataRequest | undefined => {
  const found = same.find(({ request }) => isPending(request, now) && request.duration === duration)
  return found?.kept && { request: found.request, answer: found.kept.answer, sealedUrl: found.link?.sealedUrl }
}

/**
 * Returns the merchant's history with the person: the last block, in force or lifted, and each pending request's
 * expiry. `madeAt` holds the creation times of requests that asked the person, within the last `askDay`. `deniedAt` is
 * the time of the last denial of the same fields for the same purpose.
 */
export const historyOf = (
  state: State,
  { now, scope }: DataRequestLookup,
  userId: UserId,
  { all, same }: ReturnType<typeof questionsOf>
): AskingHistory => {
  const since = DateTime.subtractDuration(now, askDay)
  const denials = same.flatMap(({ request: { decidedAt, status } }) =>
    status === "DENIED" && decidedAt !== undefined ? [decidedAt] : []
  )
  const requests = all.map(({ request }) => request)
  return {
    block: state.askingBlocks.get(scopedKey(scope, userId)),
    openUntil: requests.filter((request) => isPending(request, now)).map(({ expiresAt }) => expiresAt),
    madeAt: requests
      .filter((request) => wasAsked(request) && DateTime.isGreaterThan(request.createdAt, since))
      .map(({ createdAt }) => createdAt),
    deniedAt: denials.sort(DateTime.Order).at(-1)
  }
}

/**
 * Returns the reason of the active block. Undefined if none is active, or if requests to the person are not limited.
 */
export const blockIn = (state: State, scope: MerchantScope, userId: UserId): AskingBlockReason | undefined => {
  const block = state.askingBlocks.get(scopedKey(scope, userId))
  const consumer = state.consumers.get(environmentKey(scope.environment, userId))
  return isBlocking(block) && isBounded(scope.environment, consumer ?? {}) ? block?.reason : undefined
}

/**
 * Returns the reason of the block that applies to this request, if any. An active block that began after the request
 * applies even if requests to the person are not limited.
 */
export const blockOn = (state: State, request: DataRequest): AskingBlockReason | undefined => {
  const block = state.askingBlocks.get(scopedKey(request, request.userId))
  const isEarlier = block !== undefined && DateTime.isLessThanOrEqualTo(request.createdAt, block.blockedAt)
  return isBlocking(block) && isEarlier ? block?.reason : blockIn(state, request, request.userId)
}

/**
 * Blocks the merchant from sending requests to the person. A no-op if a block is active, except that `NOT_ME` replaces
 * `STOP_ASKING`.
 */
export const keepBlock = (state: State, block: AskingBlock): void => {
  const key = scopedKey(block, block.userId)
  const kept = state.askingBlocks.get(key)
  const isStronger = kept?.reason === "STOP_ASKING" && block.reason === "NOT_ME"
  if (!isBlocking(kept) || isStronger) state.askingBlocks.set(key, block)
}

/**
 * Lifts the active block if its reason is `reason`, or regardless of its reason if `reason` is undefined. Returns the
 * reason of the lifted block, or undefined if none was lifted.
 */
export const liftBlock = (
  state: State,
  ...[scope, userId, liftedAt, reason]: Parameters<ConsentStore["Service"]["liftBlock"]>
): AskingBlockReason | undefined => {
  const key = scopedKey(scope, userId)
  const block = state.askingBlocks.get(key)
  if (block === undefined || !isBlocking(block) || block.reason !== (reason ?? block.reason)) return undefined
  state.askingBlocks.set(key, { ...block, liftedAt })
  return block.reason
}
