import { DateTime, Effect, Layer, Option, Order } from "effect"
import { type AskingBlockReason, isBlocking } from "../../consent/asking/AskingBlock.js"
import { type ConsentListing, ConsentLog, type LinkedDataRequest, type PersonFilter } from "../../consent/ConsentLog.js"
import { type DataRequest, isPending } from "../../consent/request/DataRequest.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import { type Position, pageOf } from "../MemoryPages.js"
import { isOf, MemoryState, type StoredDataRequest, scopedKey } from "../MemoryState.js"
import { chainEndOf } from "./MemoryConsentCommit.js"
import { controllerIn, grantOf, requestOf } from "./MemoryConsentStore.js"

type State = MemoryState["Service"]

const isListed = (
  { environment, merchantId }: ConsentListing,
  { userId }: PersonFilter,
  record: MerchantScope & { readonly userId: UserId }
): boolean =>
  record.environment === environment &&
  (merchantId === undefined || record.merchantId === merchantId) &&
  (userId === undefined || record.userId === userId)

const listed = <A extends MerchantScope & { readonly userId: UserId }>(
  rows: Iterable<A>,
  listing: ConsentListing,
  filter: PersonFilter,
  positionOf: (row: A) => Position,
  page: PageRequest
): Page<A> =>
  pageOf(
    [...rows].filter((row) => isListed(listing, filter, row)),
    positionOf,
    page
  )

/** A request with what those who bring it to the person need. */
export const pendingOf = (state: State, { link, request }: StoredDataRequest): LinkedDataRequest => ({
  request,
  controller: controllerIn(state, request.merchantId),
  merchantStatus: state.merchants.get(request.merchantId)?.status ?? "CLOSED",
  blockedAs: blockIn(state, request),
  sealedUrl: link?.sealedUrl
})

const blockIn = (state: State, request: DataRequest): AskingBlockReason | undefined => {
  const block = state.askingBlocks.get(scopedKey(request, request.userId))
  return isBlocking(block) ? block?.reason : undefined
}

const bySequence = Order.mapInput(Order.Number, ({ sequence }: { readonly sequence: number }) => sequence)

export const make = (state: State): ConsentLog["Service"] =>
  ConsentLog.of({
    findRequest: (target) => Effect.sync(() => Option.fromUndefinedOr(requestOf(state, target))),

    findByToken: (tokenHash) =>
      Effect.sync(() => {
        const stored = [...state.dataRequests.values()].find(({ link }) => link?.tokenHash === tokenHash)
        return Option.map(Option.fromUndefinedOr(stored), (found) => pendingOf(state, found))
      }),

    listRequests: (listing, filter, page) =>
      Effect.sync(() =>
        listed(
          [...state.dataRequests.values()].map(({ request }) => request),
          listing,
          filter,
          ({ createdAt, id }) => ({ at: DateTime.toEpochMillis(createdAt), id }),
          page
        )
      ),

    listPending: (environment, now, page) =>
      Effect.sync(() =>
        pageOf(
          [...state.dataRequests.values()]
            .filter(({ request }) => request.environment === environment && isPending(request, now))
            .map((stored) => pendingOf(state, stored)),
          ({ request }) => ({ at: DateTime.toEpochMillis(request.createdAt), id: request.id }),
          page
        )
      ),

    listDisowned: (environment, page) =>
      Effect.sync(() =>
        pageOf(
          [...state.dataRequests.values()]
            .map(({ request }) => request)
            .filter((request) => request.environment === environment && request.denialReason === "NOT_ME"),
          ({ createdAt, id }) => ({ at: DateTime.toEpochMillis(createdAt), id }),
          page
        )
      ),

    listBlocks: (listing, page) =>
      Effect.sync(() =>
        listed(
          [...state.askingBlocks.values()].filter(isBlocking),
          listing,
          { userId: undefined },
          ({ blockedAt, merchantId, userId }) => ({
            at: DateTime.toEpochMillis(blockedAt),
            id: `${merchantId}/${userId}`
          }),
          page
        )
      ),

    findGrant: (target) => Effect.sync(() => Option.fromUndefinedOr(grantOf(state, target))),

    listGrants: (listing, filter, page) =>
      Effect.sync(() =>
        listed(
          state.grants.values(),
          listing,
          filter,
          ({ grantedAt, id }) => ({ at: DateTime.toEpochMillis(grantedAt), id }),
          page
        )
      ),

    listReads: (listing, filter, page) =>
      Effect.sync(() =>
        listed(
          state.identityReads.values(),
          listing,
          filter,
          ({ id, readAt }) => ({ at: DateTime.toEpochMillis(readAt), id }),
          page
        )
      ),

    listReceipts: (scope, filter, page) =>
      Effect.sync(() =>
        listed(state.receipts.values(), scope, filter, ({ id, sequence }) => ({ at: sequence, id }), page)
      ),

    listPersonReceipts: (listing, userId, page) =>
      // Ids begin with their moment.
      Effect.sync(() => listed(state.receipts.values(), listing, { userId }, ({ id }) => ({ at: 0, id }), page)),

    findPersonReceipt: (listing, userId, id) =>
      Effect.sync(() =>
        Option.filter(Option.fromUndefinedOr(state.receipts.get(id)), (receipt) =>
          isListed(listing, { userId }, receipt)
        )
      ),

    chainEnd: (scope) => Effect.sync(() => chainEndOf(state, scope)),

    chain: (scope, after, limit) =>
      Effect.sync(() =>
        [...state.receipts.values()]
          .filter((receipt) => isOf(scope, receipt) && receipt.sequence > after)
          .sort(bySequence)
          .slice(0, limit)
      )
  })

export const layer: Layer.Layer<ConsentLog, never, MemoryState> = Layer.effect(
  ConsentLog,
  Effect.map(MemoryState, make)
)
