import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DataRequestId, GrantId, ReceiptId, UserId } from "../Ids.js"
import { hasSandboxAccess, type MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { SealedSecret } from "../secret/Keyring.js"
import type { AskingBlock } from "./asking/AskingBlock.js"
import type { ConsentTarget } from "./ConsentStore.js"
import type { Grant } from "./grant/Grant.js"
import type { ConsentTokenHash } from "./link/ConsentToken.js"
import type { IdentityRead } from "./read/IdentityRead.js"
import type { Receipt } from "./receipt/Receipt.js"
import type { ChainHead } from "./receipt/ReceiptChain.js"
import type { DataRequest } from "./request/DataRequest.js"
import type { ConsentSnapshot } from "./request/decideConsent.js"

/** Whose records a list shows: one merchant's in one environment or, for the operator, every merchant's in one. */
export type ConsentListing = MerchantScope | { readonly merchantId: undefined; readonly environment: Environment }

/** Undefined does not filter. */
export interface PersonFilter {
  readonly userId: UserId | undefined
}

/** A request with its link, for those who bring it to the person. */
export interface LinkedDataRequest extends ConsentSnapshot {
  /** Where the person decides, sealed for the request's id. Absent if no one was asked, or once it is deleted. */
  readonly sealedUrl: SealedSecret | undefined
}

/** Whether the person may be notified of the request: not while the merchant is blocked, REJECTED or CLOSED. */
export const mayBeAsked = ({
  blockedAs,
  merchantStatus
}: Pick<LinkedDataRequest, "blockedAs" | "merchantStatus">): boolean =>
  blockedAs === undefined && hasSandboxAccess(merchantStatus)

/** Read side of consent. Requests and grants are as stored: `asOf` says whether they have expired since. */
export class ConsentLog extends Context.Service<
  ConsentLog,
  {
    readonly findRequest: (
      target: ConsentTarget<DataRequestId>
    ) => Effect.Effect<Option.Option<DataRequest>, StoreError>

    /** The request behind a consent link, decided or not, until its stored response is deleted. */
    readonly findByToken: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<LinkedDataRequest>, StoreError>

    /** Newest first. */
    readonly listRequests: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<DataRequest>, StoreError>

    /** For the operator: the requests that are pending at `now`, newest first. */
    readonly listPending: (
      environment: Environment,
      now: DateTime.Utc,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedDataRequest>, StoreError>

    /** For the operator: the requests that were denied as `NOT_ME`, newest first. */
    readonly listDisowned: (environment: Environment, page: PageRequest) => Effect.Effect<Page<DataRequest>, StoreError>

    /** Active asking blocks, newest first. */
    readonly listBlocks: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<AskingBlock>, StoreError>

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

    /** A merchant's receipts, in reverse chain order. */
    readonly listReceipts: (
      scope: MerchantScope,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** The receipts of one grant of the merchant's, in the order of its chain, oldest first. */
    readonly listGrantReceipts: (
      scope: MerchantScope,
      grant: Pick<Grant, "id" | "userId">
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /** One person's receipts, of all chains in the listing, newest first. */
    readonly listPersonReceipts: (
      listing: ConsentListing,
      userId: UserId,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** A receipt of that person, from a chain in the listing. */
    readonly findPersonReceipt: (
      listing: ConsentListing,
      userId: UserId,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /** The end of the merchant's chain, stored apart from the receipts. `ReceiptChain.genesis` if there is no receipt. */
    readonly chainEnd: (scope: MerchantScope) => Effect.Effect<ChainHead, StoreError>

    /** The next `limit` receipts of the merchant's chain, oldest first: those numbered above `after`. */
    readonly chain: (
      scope: MerchantScope,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /** How far the merchant's chain was verified, as kept last. None before, and after a move to another cell. */
    readonly verifiedEnd: (scope: MerchantScope) => Effect.Effect<Option.Option<ChainHead>, StoreError>

    /** Keeps how far the chain is verified. A no-op on a connection that may not: only the tables' owner may. */
    readonly keepVerifiedEnd: (scope: MerchantScope, end: ChainHead) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/consent/ConsentLog") {}
