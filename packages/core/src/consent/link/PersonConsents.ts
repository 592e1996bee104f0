import { Context, DateTime, Effect, Layer, Option, type Redacted } from "effect"
import { Digest } from "effect/crypto"
import type { ConsumerDirectory } from "../../consumer/ConsumerDirectory.js"
import type { GrantId, MerchantId, ReceiptId } from "../../Ids.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { CodeChallengeStore } from "../admission/CodeChallengeStore.js"
import { codeLifetime } from "../admission/decideCode.js"
import { AskingBlocks } from "../asking/AskingBlocks.js"
import type { ConsentActor } from "../ConsentActor.js"
import {
  ConsentLinkUnknown,
  type ConsentRequestInvalid,
  type DataRequestDecided,
  GrantNotFound
} from "../ConsentError.js"
import type { ConsentListing } from "../ConsentLog.js"
import type { PrivacyNotice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import type { GrantDuration } from "../grant/GrantDuration.js"
import { Grants } from "../grant/Grants.js"
import type { IdentityRead } from "../read/IdentityRead.js"
import { IdentityReads } from "../read/IdentityReads.js"
import * as Previews from "../read/Previews.js"
import { type Controller, controllerOf, type Receipt } from "../receipt/Receipt.js"
import { Receipts } from "../receipt/Receipts.js"
import type { DataRequest, DenialReason } from "../request/DataRequest.js"
import { DataRequests, type OpenedLink } from "../request/DataRequests.js"
import * as ConsentToken from "./ConsentToken.js"
import { ManagementLinks, type Manager } from "./ManagementLinks.js"

/** A person's grant or read, with the merchant's public profile if the merchant is found. */
export interface AtMerchant<A> {
  readonly record: A
  readonly controller: Controller | undefined
}

/**
 * A person's approval, and the notice shown to them. `duration` defaults to the requested duration or, if none was
 * requested, to the policy's `grantLifetime`. It cannot exceed this default.
 */
export interface PersonApproval {
  readonly fields: ReadonlyArray<string>
  readonly duration?: GrantDuration | undefined
  readonly notice: PrivacyNotice
}

type DecideFailed = ConsentLinkUnknown | DataRequestDecided | StoreError

/**
 * Operations that people can perform through their links (contract 7). A consent link lets them decide on a request and
 * stop a merchant from asking. A management link lets them view and revoke their consents. The hosted pages use this
 * service, and so may a host's own screens.
 *
 * Opening an unknown link, an expired link or a link to a cancelled request fails with the same `ConsentLinkUnknown`.
 */
export class PersonConsents extends Context.Service<
  PersonConsents,
  {
    /** Opens a consent link. Returns the request, with its decision if one was made. Changes nothing. */
    readonly question: (token: Redacted.Redacted<string>) => Effect.Effect<OpenedLink, ConsentLinkUnknown | StoreError>

    /**
     * Returns masked previews of the requested values. `None` if the directory fails or does not return valid values
     * within `previewTimeout`.
     */
    readonly previews: (request: DataRequest) => Effect.Effect<Option.Option<Previews.Previews>>

    /**
     * Approves some or all of the requested fields. Fails with `DataRequestDecided` if the request is no longer
     * pending, and with `ConsentRequestInvalid` if the approval does not fit the request. Fails with
     * `ConsentLinkUnknown` if the merchant is REJECTED or CLOSED, or a `NOT_ME` block applies.
     */
    readonly approve: (
      link: OpenedLink,
      approval: PersonApproval
    ) => Effect.Effect<DataRequest, DecideFailed | ConsentRequestInvalid>

    readonly deny: (
      link: OpenedLink,
      denial: { readonly reason: DenialReason; readonly notice: PrivacyNotice }
    ) => Effect.Effect<DataRequest, DecideFailed>

    /**
     * Blocks the merchant from asking this person again, until the operator or host lifts the block. Idempotent. In
     * TEST, the block stops new requests only if the person has `askLimits`.
     */
    readonly stopAsking: (link: OpenedLink) => Effect.Effect<void, StoreError>

    /**
     * Returns the token of the management link that belongs to this consent link. The management link exists only after
     * an approval, or a denial other than `NOT_ME`, through the consent link.
     */
    readonly managementToken: (token: Redacted.Redacted<string>) => Effect.Effect<Redacted.Redacted<string>>

    /** Opens a management link. Fails with `ConsentLinkUnknown` if the link is unknown or expired. */
    readonly open: (token: Redacted.Redacted<string>) => Effect.Effect<Manager, ConsentLinkUnknown | StoreError>

    /** Lists the person's grants that the link covers, as of now, newest first. */
    readonly grants: (manager: Manager, page: PageRequest) => Effect.Effect<Page<AtMerchant<Grant>>, StoreError>

    /** Lists reads of the person's data that the link covers, newest first. */
    readonly reads: (manager: Manager, page: PageRequest) => Effect.Effect<Page<AtMerchant<IdentityRead>>, StoreError>

    /**
     * Returns the latest read under each of these grants (`isUnder`), by the grant's id. Omits grants without one, and
     * grants that the link does not cover.
     */
    readonly lastReads: (
      manager: Manager,
      grants: ReadonlyArray<Grant>
    ) => Effect.Effect<ReadonlyMap<GrantId, IdentityRead>, StoreError>

    /**
     * Revokes a grant, so the merchant's next read no longer uses it. If the grant has already ended, only returns it.
     * Fails with `GrantNotFound` unless the management link covers the grant.
     */
    readonly revoke: (
      manager: Manager,
      id: GrantId,
      notice: PrivacyNotice
    ) => Effect.Effect<Grant, GrantNotFound | StoreError>

    /**
     * Revokes every active grant that the management link covers. Returns the number of grants that this call revoked.
     */
    readonly revokeAll: (manager: Manager, notice: PrivacyNotice) => Effect.Effect<number, StoreError>

    /** Lists the person's receipts that the link covers, newest first. */
    readonly receipts: (manager: Manager, page: PageRequest) => Effect.Effect<Page<Receipt>, StoreError>

    readonly receipt: (manager: Manager, id: ReceiptId) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /**
     * Deletes up to `atOnce` expired management links, and up to `atOnce` code challenges whose window ended at least
     * `codeLifetime` ago. Returns the total count. Several nodes may run it concurrently.
     */
    readonly sweep: Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/PersonConsents") {}

const actor: ConsentActor = { kind: "PERSON" }

/** Page size of `revokeAll`. Also the maximum number of links, and of code challenges, deleted per `sweep`. */
const atOnce = 100

const listingOf = ({ environment, merchantId }: Manager): ConsentListing =>
  merchantId === undefined ? { merchantId, environment } : { merchantId, environment }

const isTheirs = ({ environment, merchantId, userId }: Manager, grant: Grant): boolean =>
  grant.userId === userId &&
  grant.environment === environment &&
  (merchantId === undefined || grant.merchantId === merchantId)

const makeDeciding = Effect.gen(function* () {
  const requests = yield* DataRequests
  const blocks = yield* AskingBlocks
  const digest = yield* Digest.Digest

  const question = Effect.fn("PersonConsents.question")(function* (token: Redacted.Redacted<string>) {
    const opened = yield* requests.open(token)
    const { status } = opened.request
    return status === "EXPIRED" || status === "CANCELLED" ? yield* new ConsentLinkUnknown() : opened
  })

  const targetOf = ({ request: { id } }: OpenedLink) => ({ id, scope: undefined })

  const gone = () => Effect.fail(new ConsentLinkUnknown())

  const approve = Effect.fn("PersonConsents.approve")((link: OpenedLink, approval: PersonApproval) =>
    requests.approve(targetOf(link), { ...approval, actor, link }).pipe(
      Effect.map(({ request }) => request),
      Effect.catchTags({ DataRequestNotFound: gone, MerchantNotActive: gone, AskingBlocked: gone })
    )
  )

  const deny = Effect.fn("PersonConsents.deny")(
    (link: OpenedLink, denial: { readonly reason: DenialReason; readonly notice: PrivacyNotice }) =>
      Effect.catchTag(requests.deny(targetOf(link), { ...denial, actor, link }), "DataRequestNotFound", gone)
  )

  return {
    question,
    approve,
    deny,
    stopAsking: ({ request }: OpenedLink) => blocks.create(request),
    managementToken: (token: Redacted.Redacted<string>) =>
      Effect.provideService(ConsentToken.managementTokenOf(token), Digest.Digest, digest)
  }
})

const makeManaging = Effect.gen(function* () {
  const links = yield* ManagementLinks
  const granted = yield* Grants
  const recorded = yield* IdentityReads
  const book = yield* Receipts
  const merchants = yield* MerchantStore

  const withControllers = Effect.fnUntraced(function* <A extends { readonly merchantId: MerchantId }>(page: Page<A>) {
    const ids = [...new Set(page.data.map(({ merchantId }) => merchantId))]
    const found = yield* Effect.forEach(ids, (id) => merchants.find(id), { concurrency: 8 })
    const controllers = new Map(found.flatMap(Option.toArray).map((merchant) => [merchant.id, controllerOf(merchant)]))
    const data = page.data.map((record): AtMerchant<A> => ({ record, controller: controllers.get(record.merchantId) }))
    return { data, nextCursor: page.nextCursor }
  })

  const grants = Effect.fn("PersonConsents.grants")(function* (manager: Manager, page: PageRequest) {
    return yield* withControllers(yield* granted.list(listingOf(manager), { userId: manager.userId }, page))
  })

  const reads = Effect.fn("PersonConsents.reads")(function* (manager: Manager, page: PageRequest) {
    return yield* withControllers(yield* recorded.list(listingOf(manager), { userId: manager.userId }, page))
  })

  const lastReads = Effect.fn("PersonConsents.lastReads")(function* (manager: Manager, of: ReadonlyArray<Grant>) {
    const found = yield* recorded.last(of.filter((grant) => isTheirs(manager, grant)))
    return new Map(found.map(({ grantId, read }) => [grantId, read]))
  })

  const revoke = Effect.fn("PersonConsents.revoke")(function* (manager: Manager, id: GrantId, notice: PrivacyNotice) {
    const target = { id, scope: undefined }
    if (!isTheirs(manager, yield* granted.get(target))) return yield* new GrantNotFound({ grantId: id })
    return yield* granted.revoke(target, { actor, notice })
  })

  const revokeAll = Effect.fn("PersonConsents.revokeAll")(function* (manager: Manager, notice: PrivacyNotice) {
    let revoked = 0
    let cursor: string | undefined
    do {
      const page: Page<Grant> = yield* granted.list(
        listingOf(manager),
        { userId: manager.userId },
        { limit: atOnce, cursor }
      )
      for (const { id, status } of page.data) {
        if (status !== "ACTIVE") continue
        const isRevoked = yield* granted.revokeOnce({ id, scope: undefined }, { actor, notice }).pipe(
          Effect.map(({ isNew }) => isNew),
          Effect.catchTag("GrantNotFound", () => Effect.succeed(false))
        )
        if (isRevoked) revoked += 1
      }
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return revoked
  })

  return {
    open: links.open,
    grants,
    reads,
    lastReads,
    revoke,
    revokeAll,
    receipts: (manager: Manager, page: PageRequest) => book.listOfPerson(listingOf(manager), manager.userId, page),
    receipt: (manager: Manager, id: ReceiptId) => book.getOfPerson(listingOf(manager), manager.userId, id)
  }
})

type Needs =
  | DataRequests
  | Grants
  | IdentityReads
  | Receipts
  | ManagementLinks
  | AskingBlocks
  | CodeChallengeStore
  | MerchantStore
  | ConsumerDirectory
  | Digest.Digest

export const layer: Layer.Layer<PersonConsents, never, Needs> = Layer.effect(
  PersonConsents,
  Effect.gen(function* () {
    const links = yield* ManagementLinks
    const challenges = yield* CodeChallengeStore

    const sweep = Effect.gen(function* () {
      const now = yield* DateTime.now
      const forgotten = yield* links.forget(now, atOnce)
      // A code sent at the end of its window stays valid for `codeLifetime`.
      return forgotten + (yield* challenges.forget(DateTime.subtractDuration(now, codeLifetime), atOnce))
    }).pipe(Effect.withSpan("PersonConsents.sweep"))

    return PersonConsents.of({
      ...(yield* makeDeciding),
      ...(yield* makeManaging),
      previews: yield* Previews.make,
      sweep
    })
  })
)
