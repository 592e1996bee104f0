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
import type { LastRead } from "./read/LastRead.js"
import type { Receipt } from "./receipt/Receipt.js"
import type { ChainHead } from "./receipt/ReceiptChain.js"
import type { DataRequest } from "./request/DataRequest.js"
import type { ConsentSnapshot } from "./request/decideConsent.js"

/** Scope of a list in one environment: one merchant, or all merchants if `merchantId` is undefined. */
export type ConsentListing = MerchantScope | { readonly merchantId: undefined; readonly environment: Environment }

/** Selects records by person. An undefined `userId` does not filter. */
export interface PersonFilter {
  readonly userId: UserId | undefined
}

/** The snapshot for deciding a request, with the request's link if one is stored. */
export interface LinkedDataRequest extends ConsentSnapshot {
  /** The url at which the person decides, sealed with the request's id as owner. Undefined if no link is stored. */
  readonly sealedUrl: SealedSecret | undefined
}

/**
 * Returns true if the request's link may be delivered: no block applies, and the merchant is neither REJECTED nor
 * CLOSED.
 */
export const mayBeAsked = ({
  blockedAs,
  merchantStatus
}: Pick<LinkedDataRequest, "blockedAs" | "merchantStatus">): boolean =>
  blockedAs === undefined && hasSandboxAccess(merchantStatus)

/**
 * Finds and lists stored requests, grants, blocks, reads and receipts. Also stores how far each receipt chain has been
 * verified. Requests and grants are returned as stored. Use `dataRequestAsOf` or `grantAsOf` to see whether they have
 * expired since.
 */
export class ConsentLog extends Context.Service<
  ConsentLog,
  {
    readonly findRequest: (
      target: ConsentTarget<DataRequestId>
    ) => Effect.Effect<Option.Option<DataRequest>, StoreError>

    /** Finds the request of a consent link, decided or not, until the link is deleted. */
    readonly findByToken: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<LinkedDataRequest>, StoreError>

    /** Lists requests, newest first. */
    readonly listRequests: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<DataRequest>, StoreError>

    /** Lists requests pending at `now`, newest first. */
    readonly listPending: (
      environment: Environment,
      now: DateTime.Utc,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedDataRequest>, StoreError>

    /** Lists requests denied as `NOT_ME`, newest first. */
    readonly listDisowned: (environment: Environment, page: PageRequest) => Effect.Effect<Page<DataRequest>, StoreError>

    /** Lists active asking blocks, newest first. */
    readonly listBlocks: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<AskingBlock>, StoreError>

    readonly findGrant: (target: ConsentTarget<GrantId>) => Effect.Effect<Option.Option<Grant>, StoreError>

    /** Lists grants, newest first. */
    readonly listGrants: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Grant>, StoreError>

    /** Lists reads, newest first. */
    readonly listReads: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityRead>, StoreError>

    /** Returns the latest read under each grant (`isUnder`), in any order. Omits grants without one. */
    readonly lastReads: (grants: ReadonlyArray<Grant>) => Effect.Effect<ReadonlyArray<LastRead>, StoreError>

    /** Lists a merchant's receipts in reverse chain order. */
    readonly listReceipts: (
      scope: MerchantScope,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** Lists the receipts of one of the merchant's grants, oldest first. */
    readonly listGrantReceipts: (
      scope: MerchantScope,
      grant: Pick<Grant, "id" | "userId">
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /** Lists the person's receipts within the listing's scope, newest first. */
    readonly listPersonReceipts: (
      listing: ConsentListing,
      userId: UserId,
      page: PageRequest
    ) => Effect.Effect<Page<Receipt>, StoreError>

    /** Finds a receipt by id. `None` unless it is about this person and within the listing's scope. */
    readonly findPersonReceipt: (
      listing: ConsentListing,
      userId: UserId,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /**
     * Returns the end of the merchant's chain, as stored apart from the receipts. `ReceiptChain.genesis` if the chain
     * is empty.
     */
    readonly chainEnd: (scope: MerchantScope) => Effect.Effect<ChainHead, StoreError>

    /** Returns the first receipts of the merchant's chain after sequence `after`, at most `limit`, oldest first. */
    readonly chain: (
      scope: MerchantScope,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Receipt>, StoreError>

    /**
     * Returns the last recorded point to which the merchant's chain was verified. `None` until a point is recorded, and
     * again after the merchant moves to another cell.
     */
    readonly verifiedEnd: (scope: MerchantScope) => Effect.Effect<Option.Option<ChainHead>, StoreError>

    /**
     * Records the point to which the chain is verified. A no-op if the connection is read-only or lacks the database
     * privileges to record it.
     */
    readonly keepVerifiedEnd: (scope: MerchantScope, end: ChainHead) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/consent/ConsentLog") {}
