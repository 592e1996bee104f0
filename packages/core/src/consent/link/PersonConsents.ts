import { Context, DateTime, type Duration, Effect, Layer, Option, type Redacted } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerDirectory, Person } from "../../consumer/ConsumerDirectory.js"
import type { GrantId, MerchantId, ReceiptId } from "../../Ids.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { CodeChallengeStore } from "../admission/CodeChallengeStore.js"
import type { ConsentActor } from "../ConsentActor.js"
import { ConsentLinkUnknown, type ConsentRequestInvalid, DataRequestDecided, GrantNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog } from "../ConsentLog.js"
import { Consents } from "../Consents.js"
import type { ConsentQuestion } from "../Decisions.js"
import type { Notice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import type { IdentityRead } from "../read/IdentityRead.js"
import * as Previews from "../read/Previews.js"
import { type Controller, controllerOf, type Receipt } from "../receipt/Receipt.js"
import type { DataRequest, DenialReason } from "../request/DataRequest.js"
import * as ManagementLinks from "./ConsentLinks.js"
import * as ConsentToken from "./ConsentToken.js"
import type { ConsentLinks } from "./ConsentUrls.js"
import type { ManagementLinkStore } from "./ManagementLinkStore.js"

/** Something of the person's at a merchant, and what the merchant says of itself; absent where it is no longer known. */
export interface AtMerchant<A> {
  readonly record: A
  readonly controller: Controller | undefined
}

type DecideFailed = ConsentLinkUnknown | DataRequestDecided | StoreError

/**
 * What a person does with their consents, as the holder of a link: decides, sees, takes back (contract 7). The hosted page
 * speaks for it; a host that draws its own screens calls it as well.
 *
 * A link that leads nowhere, one that has expired and one whose request was cancelled are the same `ConsentLinkUnknown`.
 */
export class PersonConsents extends Context.Service<
  PersonConsents,
  {
    /** What the holder of a consent link is asked, or what was decided there. Changes nothing. */
    readonly question: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<ConsentQuestion, ConsentLinkUnknown | StoreError>

    /** None if the directory does not answer within `previewTimeout`. */
    readonly previews: (request: DataRequest) => Effect.Effect<Option.Option<Previews.Previews>>

    /** Approves these of the requested fields. Of any number of decisions by one link the first one counts. */
    readonly approve: (
      token: Redacted.Redacted<string>,
      approval: { readonly fields: ReadonlyArray<string>; readonly notice: Notice }
    ) => Effect.Effect<DataRequest, DecideFailed | ConsentRequestInvalid>

    readonly deny: (
      token: Redacted.Redacted<string>,
      denial: { readonly reason: DenialReason; readonly notice: Notice }
    ) => Effect.Effect<DataRequest, DecideFailed>

    /** Blocks the merchant from asking this person again, until the operator lifts it. Doing so twice is the same as once. */
    readonly stopAsking: (token: Redacted.Redacted<string>) => Effect.Effect<void, ConsentLinkUnknown | StoreError>

    /**
     * The token of the person's management link, once they have decided by this consent link. It leads nowhere before, and
     * never for whoever said that the request was not meant for them.
     */
    readonly managementToken: (token: Redacted.Redacted<string>) => Effect.Effect<Redacted.Redacted<string>>

    /** A new management link, for whoever has made sure that they speak with this person. */
    readonly issueLink: (
      person: Person,
      options?: { readonly lifetime?: Duration.Duration }
    ) => Effect.Effect<ManagementLinks.IssuedLink, StoreError>

    /** Whose consents a management link shows. */
    readonly open: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<ManagementLinks.Manager, ConsentLinkUnknown | StoreError>

    /** The person's grants as they are now, newest first. */
    readonly grants: (
      manager: ManagementLinks.Manager,
      page: PageRequest
    ) => Effect.Effect<Page<AtMerchant<Grant>>, StoreError>

    /** Who has read what of the person, newest first. */
    readonly reads: (
      manager: ManagementLinks.Manager,
      page: PageRequest
    ) => Effect.Effect<Page<AtMerchant<IdentityRead>>, StoreError>

    /** Takes a grant back: the merchant's next reading sees it. One that has ended already is answered as it stands. */
    readonly revoke: (
      manager: ManagementLinks.Manager,
      id: GrantId,
      notice: Notice
    ) => Effect.Effect<Grant, GrantNotFound | StoreError>

    /** Takes back every grant that is in force. Answers how many it were. */
    readonly revokeAll: (manager: ManagementLinks.Manager, notice: Notice) => Effect.Effect<number, StoreError>

    /** The person's receipts, newest first. */
    readonly receipts: (manager: ManagementLinks.Manager, page: PageRequest) => Effect.Effect<Page<Receipt>, StoreError>

    readonly receipt: (
      manager: ManagementLinks.Manager,
      id: ReceiptId
    ) => Effect.Effect<Option.Option<Receipt>, StoreError>

    /** Forgets links and codes whose time is long up. Does a bounded part: to be repeated, by any number of nodes. */
    readonly sweep: Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/PersonConsents") {}

const actor: ConsentActor = { kind: "PERSON" }

/** How many grants are read, and links forgotten, at a time. */
const atOnce = 100

type Needs =
  | Consents
  | ConsentLog
  | ConsentLinks
  | ManagementLinkStore
  | CodeChallengeStore
  | MerchantStore
  | ConsumerDirectory
  | Digest.Digest
  | SecureRandom.SecureRandom

const make = Effect.gen(function* () {
  const consents = yield* Consents
  const log = yield* ConsentLog
  const links = yield* ManagementLinks.make
  const challenges = yield* CodeChallengeStore
  const merchants = yield* MerchantStore
  const previews = yield* Previews.make

  const question = Effect.fn("PersonConsents.question")(function* (token: Redacted.Redacted<string>) {
    if (!ConsentToken.isOfForm(token)) return yield* new ConsentLinkUnknown()
    const found = yield* consents.byToken(token)
    const { status } = found.request
    return status === "EXPIRED" || status === "CANCELLED" ? yield* new ConsentLinkUnknown() : found
  })

  /** Decides on what the link asks, once. */
  const decideBy = <A, E>(
    token: Redacted.Redacted<string>,
    decide: (request: DataRequest) => Effect.Effect<A, E | DataRequestDecided>
  ) =>
    Effect.gen(function* () {
      const { request } = yield* question(token)
      const { id, status } = request
      if (status !== "PENDING") return yield* new DataRequestDecided({ dataRequestId: id, status })
      yield* links.keepAfter(token, request)
      return yield* decide(request)
    })

  /** The request, or its merchant, ended since the link was opened. */
  const gone = { DataRequestNotFound: () => Effect.fail(new ConsentLinkUnknown()) } as const

  const approve = Effect.fn("PersonConsents.approve")(function* (
    token: Redacted.Redacted<string>,
    { fields, notice }: { readonly fields: ReadonlyArray<string>; readonly notice: Notice }
  ) {
    return yield* decideBy(token, ({ id }) =>
      consents.approve({ id, scope: undefined }, { actor, fields, notice }).pipe(
        Effect.map(({ request }) => request),
        Effect.catchTags({ ...gone, MerchantNotActive: gone.DataRequestNotFound })
      )
    )
  })

  const deny = Effect.fn("PersonConsents.deny")(function* (
    token: Redacted.Redacted<string>,
    { notice, reason }: { readonly reason: DenialReason; readonly notice: Notice }
  ) {
    return yield* decideBy(token, ({ id }) =>
      consents.deny({ id, scope: undefined }, { actor, reason, notice }).pipe(Effect.catchTags(gone))
    )
  })

  const stopAsking = Effect.fn("PersonConsents.stopAsking")(function* (token: Redacted.Redacted<string>) {
    const { request } = yield* question(token)
    yield* consents.stopAsking({ id: request.id, scope: undefined }).pipe(Effect.catchTags(gone))
  })

  const listingOf = ({ environment, merchantId }: ManagementLinks.Manager): ConsentListing =>
    merchantId === undefined ? { merchantId, environment } : { merchantId, environment }

  const controllersOf = Effect.fnUntraced(function* (records: ReadonlyArray<{ readonly merchantId: MerchantId }>) {
    const ids = [...new Set(records.map(({ merchantId }) => merchantId))]
    const found = yield* Effect.forEach(ids, (id) => merchants.find(id), { concurrency: 8 })
    return new Map(found.flatMap((one) => (Option.isNone(one) ? [] : [[one.value.id, controllerOf(one.value)]])))
  })

  const withControllers = Effect.fnUntraced(function* <A extends { readonly merchantId: MerchantId }>(page: Page<A>) {
    const controllers = yield* controllersOf(page.data)
    const data = page.data.map((record): AtMerchant<A> => ({ record, controller: controllers.get(record.merchantId) }))
    return { data, nextCursor: page.nextCursor }
  })

  const grants = Effect.fn("PersonConsents.grants")(function* (manager: ManagementLinks.Manager, page: PageRequest) {
    const { userId } = manager
    return yield* withControllers(yield* consents.listGrants(listingOf(manager), { userId }, page))
  })

  const reads = Effect.fn("PersonConsents.reads")(function* (manager: ManagementLinks.Manager, page: PageRequest) {
    const { userId } = manager
    return yield* withControllers(yield* consents.reads(listingOf(manager), { userId }, page))
  })

  const isTheirs = ({ environment, merchantId, userId }: ManagementLinks.Manager, grant: Grant): boolean =>
    grant.userId === userId &&
    grant.environment === environment &&
    (merchantId === undefined || grant.merchantId === merchantId)

  const revoke = Effect.fn("PersonConsents.revoke")(function* (
    manager: ManagementLinks.Manager,
    id: GrantId,
    notice: Notice
  ) {
    const target = { id, scope: undefined }
    if (!isTheirs(manager, yield* consents.getGrant(target))) return yield* new GrantNotFound({ grantId: id })
    return yield* consents.revoke(target, { actor, notice })
  })

  const revokeAll = Effect.fn("PersonConsents.revokeAll")(function* (manager: ManagementLinks.Manager, notice: Notice) {
    const { userId } = manager
    let revoked = 0
    let cursor: string | undefined
    do {
      const page: Page<Grant> = yield* consents.listGrants(listingOf(manager), { userId }, { limit: atOnce, cursor })
      for (const { id, status } of page.data) {
        if (status !== "ACTIVE") continue
        yield* consents
          .revoke({ id, scope: undefined }, { actor, notice })
          .pipe(Effect.catchTag("GrantNotFound", () => Effect.void))
        revoked += 1
      }
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return revoked
  })

  const sweep = Effect.gen(function* () {
    const now = yield* DateTime.now
    const forgotten = yield* links.forget(now, atOnce)
    return forgotten + (yield* challenges.forget(now, atOnce))
  }).pipe(Effect.withSpan("PersonConsents.sweep"))

  return PersonConsents.of({
    ...{ question, previews, approve, deny, stopAsking, grants, reads, revoke, revokeAll, sweep },
    managementToken: links.tokenAfter,
    issueLink: consents.issueLink,
    open: links.open,
    receipts: (manager, page) => log.listPersonReceipts(listingOf(manager), manager.userId, page),
    receipt: (manager, id) => log.findPersonReceipt(listingOf(manager), manager.userId, id)
  })
})

export const layer: Layer.Layer<PersonConsents, never, Needs> = Layer.effect(PersonConsents, make)
