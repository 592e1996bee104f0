import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DataRequestId, GrantId, ReceiptId, UserId } from "../Ids.js"
import { hasSandboxAccess, type MerchantScope, type MerchantStatus } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { SealedSecret } from "../secret/Keyring.js"
import type { AskingBlock, AskingBlockReason } from "./asking/AskingBlock.js"
import type { ConsentTarget } from "./ConsentStore.js"
import type { Grant } from "./grant/Grant.js"
import type { ConsentTokenHash } from "./link/ConsentToken.js"
import type { IdentityRead } from "./read/IdentityRead.js"
import type { Controller, Receipt } from "./receipt/Receipt.js"
import type { ChainHead } from "./receipt/ReceiptChain.js"
import type { DataRequest } from "./request/DataRequest.js"

/** Whose records a list shows: one merchant's in one environment or, for the operator, all of an environment. */
export type ConsentListing = MerchantScope | { readonly merchantId: undefined; readonly environment: Environment }

/** A list of one person's records, or of everybody's. */
export interface PersonFilter {
  readonly userId: UserId | undefined
}

/** A request with its link, for those who bring it to the person. */
export interface LinkedDataRequest {
  readonly request: DataRequest
  readonly controller: Controller
  readonly merchantStatus: MerchantStatus
  /** Why the merchant may not ask the person; absent unless a block is in force. */
  readonly blockedAs: AskingBlockReason | undefined
  /** Where the person decides, sealed for the request's id; absent where nobody was asked, or once it was forgotten. */
  readonly sealedUrl: SealedSecret | undefined
}

/** Whether the request's person may be told of it: not while the merchant is blocked, REJECTED or CLOSED. */
export const mayBeAsked = ({
  blockedAs,
  merchantStatus
}: Pick<LinkedDataRequest, "blockedAs" | "merchantStatus">): boolean =>
  blockedAs === undefined && hasSandboxAccess(merchantStatus)

/** What there is of consent, to look at. Requests and grants are as stored: `asOf` tells whether they have expired since. */
export class ConsentLog extends Context.Service<
  ConsentLog,
  {
    readonly findRequest: (
      target: ConsentTarget<DataRequestId>
    ) => Effect.Effect<Option.Option<DataRequest>, StoreError>

    /** The request that a consent link leads to, decided or not, until its answer is forgotten. */
    readonly findByToken: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<LinkedDataRequest>, StoreError>

    /** Newest first. */
    readonly listRequests: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<DataRequest>, StoreError>

    /** Operator's list of the requests that are pending at `now`, newest first. */
    readonly listPending: (
      environment: Environment,
      now: DateTime.Utc,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedDataRequest>, StoreError>

    /** Operator's list of the requests that were denied as `NOT_ME`, newest first. */
    readonly listDisowned: (environment: Environment, page: PageRequest) => Effect.Effect<Page<DataRequest>, StoreError>

    /** The blocks on asking that are in force, newest first. */
    readonly listBlocks: (listing: ConsentListing, page: PageRequest) => Effect.Effect<Page<AskingBlock>, StoreError>

    readonly findGrant: (target: ConsentTarget<GrantId>) => Effect.Effect<Option.Option<Grant>, StoreError>

    /** Newest first. */
    readonly listGrants: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Grant>, StoreError>

    /** Newest first. */
    readonly listReads: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityRead>, StoreError>

    /** A merchant's receipts, the last one of its chain first. */
    readonly listReceipts: (
      scope: MerchantScope,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** One person's receipts of all chains of the listing, newest first. */
    readonly listPersonReceipts: (
      listing: ConsentListing,
      userId: UserId,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** A receipt of that person, of a chain of the listing. */
    readonly findPersonReceipt: (
      listing: ConsentListing,
      userId: UserId,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /** Where the merchant's chain ends; `ReceiptChain.genesis` where it has none. Stored apart from the receipts. */
    readonly chainEnd: (scope: MerchantScope) => Effect.Effect<ChainHead, StoreError>

    /** The next receipts of the merchant's chain, oldest first, at most `limit`: those numbered above `after`. */
    readonly chain: (
      scope: MerchantScope,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>
  }
>()("@surety/core/consent/ConsentLog") {}
