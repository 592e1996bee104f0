import { DateTime, Effect, Layer, Option, Order } from "effect"
import { isBlocking } from "../../consent/asking/AskingBlock.js"
import { type ConsentListing, ConsentLog, type LinkedDataRequest, type PersonFilter } from "../../consent/ConsentLog.js"
import type { IdentityRead } from "../../consent/read/IdentityRead.js"
import { isUnder } from "../../consent/read/LastRead.js"
import type { ChainHead } from "../../consent/receipt/ReceiptChain.js"
import { type DataRequest, isPending } from "../../consent/request/DataRequest.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { isOf, MemoryState, type StoredDataRequest, scopedKey } from "../MemoryState.js"
import { controllerIn, statusIn } from "../merchant/MemoryMerchantStore.js"
import { blockOn } from "./MemoryAsking.js"
import { chainEndOf } from "./MemoryConsentCommit.js"
import { grantOf, requestOf } from "./MemoryConsentStore.js"

type State = MemoryState["Service"]

const within = ({ environment, merchantId }: ConsentListing, { userId }: Partial<PersonFilter>) =>
  matches<MerchantScope & { readonly userId: UserId }>({ environment, merchantId, userId })

export const pendingRequestOf = (state: State, { link, request }: StoredDataRequest): LinkedDataRequest => ({
  request,
  controller: controllerIn(state, request.merchantId),
  merchantStatus: statusIn(state, request.merchantId),
  blockedAs: blockOn(state, request),
  sealedUrl: link?.sealedUrl
})

const newestFirst = Order.flip(
  Order.combine(
    Order.mapInput(DateTime.Order, ({ readAt }: IdentityRead) => readAt),
    Order.mapInput(Order.String, ({ id }: IdentityRead) => id)
  )
)

const bySequence = Order.mapInput(Order.Number, ({ sequence }: { readonly sequence: number }) => sequence)

export const make = (state: State): ConsentLog["Service"] => {
  const verified = new Map<string, ChainHead>()
  return ConsentLog.of({
    findRequest: (target) => Effect.sync(() => Option.fromUndefinedOr(requestOf(state, target))),

    findByToken: (tokenHash) =>
      Effect.sync(() => {
        const stored = [...state.dataRequests.values()].find(({ link }) => link?.tokenHash === tokenHash)
        return Option.map(Option.fromUndefinedOr(stored), (found) => pendingRequestOf(state, found))
      }),

    listRequests: (listing, filter, page) =>
      listRecords(
        () => [...state.dataRequests.values()].map(({ request }) => request),
        {
          where: within(listing, filter),
          position: ({ createdAt, id }) => positionAt(createdAt, id)
        },
        page
      ),

    listPending: (environment, now, page) =>
      listRecords(
        () => [...state.dataRequests.values()].map((stored) => pendingRequestOf(state, stored)),
        {
          where: ({ request }) => request.environment === environment && isPending(request, now),
          position: ({ request }) => positionAt(request.createdAt, request.id)
        },
        page
      ),

    listDisowned: (environment, page) =>
      listRecords(
        () => [...state.dataRequests.values()].map(({ request }) => request),
        {
          where: matches<DataRequest>({ environment, denialReason: "NOT_ME" }),
          position: ({ createdAt, id }) => positionAt(createdAt, id)
        },
        page
      ),

    listBlocks: (listing, filter, page) =>
      listRecords(
        () => state.askingBlocks.values(),
        {
          where: (block) => isBlocking(block) && within(listing, filter)(block),
          position: ({ blockedAt, merchantId, userId }) => positionAt(blockedAt, `${merchantId}/${userId}`)
        },
        page
      ),

    findGrant: (target) => Effect.sync(() => Option.fromUndefinedOr(grantOf(state, target))),

    listGrants: (listing, filter, page) =>
      listRecords(
        () => state.grants.values(),
        {
          where: within(listing, filter),
          position: ({ grantedAt, id }) => positionAt(grantedAt, id)
        },
        page
      ),

    listReads: (listing, filter, page) =>
      listRecords(
        () => state.identityReads.values(),
        {
          where: within(listing, filter),
          position: ({ id, readAt }) => positionAt(readAt, id)
        },
        page
      ),

    lastReads: (grants) =>
      Effect.sync(() =>
        grants.flatMap((grant) => {
          const [read] = [...state.identityReads.values()].filter((each) => isUnder(grant, each)).sort(newestFirst)
          return read === undefined ? [] : [{ grantId: grant.id, read }]
        })
      ),

    listReceipts: (scope, filter, page) =>
      listRecords(
        () => state.receipts.values(),
        {
          where: within(scope, filter),
          position: ({ id, sequence }) => ({ at: sequence, id })
        },
        page
      ),

    listGrantReceipts: (scope, { id, userId }) =>
      Effect.sync(() =>
        [...state.receipts.values()]
          .filter((receipt) => within(scope, { userId })(receipt) && receipt.body.includes(`"recordId":"${id}"`))
          .sort(bySequence)
      ),

    listPersonReceipts: (listing, userId, page) =>
      listRecords(
        () => state.receipts.values(),
        {
          where: within(listing, { userId }),
          // An id starts with its creation time, so ids alone determine the order.
          position: ({ id }) => ({ at: 0, id })
        },
        page
      ),

    findPersonReceipt: (listing, userId, id) =>
      Effect.sync(() => Option.filter(Option.fromUndefinedOr(state.receipts.get(id)), within(listing, { userId }))),

    chainEnd: (scope) => Effect.sync(() => chainEndOf(state, scope)),

    chain: (scope, after, limit) =>
      Effect.sync(() =>
        [...state.receipts.values()]
          .filter((receipt) => isOf(scope, receipt) && receipt.sequence > after)
          .sort(bySequence)
          .slice(0, limit)
      ),

    verifiedEnd: (scope) => Effect.sync(() => Option.fromUndefinedOr(verified.get(scopedKey(scope, "")))),

    keepVerifiedEnd: (scope, end) => Effect.sync(() => void verified.set(scopedKey(scope, ""), end))
  })
}

export const layer: Layer.Layer<ConsentLog, never, MemoryState> = Layer.effect(
  ConsentLog,
  Effect.map(MemoryState, make)
)
