import { Context, DateTime, Effect, Layer, Metric, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Environment } from "../../Environment.js"
import * as Traceparent from "../../event/Traceparent.js"
import { type DataRequestId, EventId, GrantId, ReceiptId } from "../../Ids.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { Responses } from "../../idempotency/Responses.js"
import { hasSandboxAccess, type MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Keyring } from "../../secret/Keyring.js"
import type { AskingBlocked } from "../asking/decideAsk.js"
import type { UnknownConsumerLimit } from "../asking/UnknownConsumerLimit.js"
import type { ConsentActor } from "../ConsentActor.js"
import { ConsentLinkUnknown, ConsentRequestInvalid, DataRequestDecided, DataRequestNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type LinkedDataRequest, type PersonFilter } from "../ConsentLog.js"
import { ConsentStore, type ConsentTarget } from "../ConsentStore.js"
import type { ConsentUpkeep } from "../ConsentUpkeep.js"
import { ConsentPolicy, type PrivacyNotice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import type { GrantDuration } from "../grant/GrantDuration.js"
import * as ConsentToken from "../link/ConsentToken.js"
import type { ConsentUrls } from "../link/ConsentUrls.js"
import type { ConsentNotifier } from "../notification/ConsentNotifier.js"
import { type AnsweredDataRequest, type DataRequestFailed, makeCreate } from "./createDataRequest.js"
import { countRequest, type DataRequest, type DenialReason, dataRequestAsOf } from "./DataRequest.js"
import type { DataRequestCommand } from "./DataRequestCommand.js"
import { type ConsentPlan, type ConsentSnapshot, decideConsent, type Verdict } from "./decideConsent.js"
import { makeLists, type PendingRequest } from "./listDataRequests.js"

/** The request that a consent link opens. Passing it to a decision can save a second read. */
export interface OpenedLink extends ConsentSnapshot {
  readonly token: Redacted.Redacted<string>
}

interface Deciding {
  readonly actor: ConsentActor
  /** The notice shown to the person. Default: the policy's. */
  readonly notice?: PrivacyNotice
  /**
   * The consent link through which the decision is made. Can save a second read of the request. If set, any decision
   * except `NOT_ME` also creates a management link.
   */
  readonly link?: OpenedLink
}

export interface Approval extends Deciding {
  /** The approved subset of the requested fields. Default: all. */
  readonly fields?: ReadonlyArray<string>
  /**
   * The grant's duration. Default and maximum: the requested duration or, if none was requested, the policy's
   * `grantLifetime`.
   */
  readonly duration?: GrantDuration | undefined
}

export interface Denial extends Deciding {
  readonly reason: DenialReason
}

type ApprovalRefused = ConsentRequestInvalid | MerchantNotActive | AskingBlocked

export type DecisionFailed = DataRequestNotFound | DataRequestDecided | StoreError

/** Merchants' requests for people's data, from creation to decision. */
export class DataRequests extends Context.Service<
  DataRequests,
  {
    /**
     * Asks a person to approve fields, or approves them immediately if active grants for the purpose cover them all. A
     * repeated key returns the earlier response, or fails if the request differs. With a new key, a pending request for
     * the same person, fields, purpose and duration is returned instead of a second one. A new key fails if the
     * merchant is REJECTED or CLOSED. In TEST the result has a `consentUrl` if a person was asked, until the link is
     * deleted. In LIVE the link reaches the person through `ConsentNotifier`, the operator or the host.
     */
    readonly create: (
      scope: MerchantScope,
      key: IdempotencyKey,
      command: DataRequestCommand
    ) => Effect.Effect<AnsweredDataRequest, DataRequestFailed>

    /**
     * Returns the request that a consent link opens, as of now, even if it is no longer pending. Fails with
     * `ConsentLinkUnknown` if the link is unknown. For a pending request, also fails if a `NOT_ME` block applies, or
     * the merchant is REJECTED or CLOSED.
     */
    readonly open: (token: Redacted.Redacted<string>) => Effect.Effect<OpenedLink, ConsentLinkUnknown | StoreError>

    /** Returns the request as of now. */
    readonly get: (target: ConsentTarget<DataRequestId>) => Effect.Effect<DataRequest, DataRequestNotFound | StoreError>

    /** Lists requests as of now, newest first. */
    readonly list: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<DataRequest>, StoreError>

    /** Lists pending requests, newest first. For the operator and the host. */
    readonly listPending: (
      environment: Environment,
      page: PageRequest
    ) => Effect.Effect<Page<PendingRequest>, StoreError>

    /**
     * Lists requests denied as `NOT_ME`, newest first. For the operator and the host: such a denial may indicate fraud.
     */
    readonly listDisowned: (environment: Environment, page: PageRequest) => Effect.Effect<Page<DataRequest>, StoreError>

    /**
     * Approves the request and creates a grant for the approved fields. The grant, the events and the receipt are
     * committed together. Fails if the request is unknown or not pending, or the approval does not fit it. Also fails
     * if the merchant is REJECTED or CLOSED, or a block applies (`stopsConsent`).
     */
    readonly approve: (
      target: ConsentTarget<DataRequestId>,
      approval: Approval
    ) => Effect.Effect<{ readonly request: DataRequest; readonly grant: Grant }, DecisionFailed | ApprovalRefused>

    readonly deny: (target: ConsentTarget<DataRequestId>, denial: Denial) => Effect.Effect<DataRequest, DecisionFailed>

    readonly cancel: (scope: MerchantScope, id: DataRequestId) => Effect.Effect<DataRequest, DecisionFailed>

    /** Records that the request has expired. Returns true only if this call recorded it. */
    readonly expire: (id: DataRequestId) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/consent/request/DataRequests") {}

const leadsNowhere = ({ blockedAs, merchantStatus, request }: LinkedDataRequest): boolean =>
  request.status === "PENDING" && (blockedAs === "NOT_ME" || !hasSandboxAccess(merchantStatus))

const makeReads = Effect.gen(function* () {
  const log = yield* ConsentLog
  const digest = yield* Digest.Digest

  const open = Effect.fn("DataRequests.open")(function* (token: Redacted.Redacted<string>) {
    const tokenHash = yield* Effect.provideService(ConsentToken.hashOfSent(token), Digest.Digest, digest)
    const found = yield* log.findByToken(tokenHash)
    if (Option.isNone(found) || leadsNowhere(found.value)) return yield* new ConsentLinkUnknown()
    const { blockedAs, controller, merchantStatus, request } = found.value
    const opened: OpenedLink = {
      token,
      request: dataRequestAsOf(request, yield* DateTime.now),
      controller,
      merchantStatus,
      blockedAs
    }
    return opened
  })

  const get = Effect.fn("DataRequests.get")(function* (target: ConsentTarget<DataRequestId>) {
    const found = yield* log.findRequest(target)
    if (Option.isNone(found)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    return dataRequestAsOf(found.value, yield* DateTime.now)
  })

  return { open, get }
})

/** Counter of data requests denied as `NOT_ME`, by `environment`. */
export const disownedRequests = Metric.counter("consent_requests_disowned_total", {
  description: "Data requests denied by people who do not know the merchant (NOT_ME)",
  incremental: true
})

/** A `NOT_ME` denial may indicate fraud. */
const flag = ({ environment, id, merchantId }: DataRequest) =>
  Effect.logWarning("Data request denied as NOT_ME").pipe(
    Effect.annotateLogs({ dataRequestId: id, merchantId, environment }),
    Effect.andThen(Metric.update(Metric.withAttributes(disownedRequests, { environment }), 1))
  )

const makeDecisions = Effect.gen(function* () {
  const store = yield* ConsentStore
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const policy = yield* ConsentPolicy

  const managementHashOf = Effect.fnUntraced(
    function* ({ token }: OpenedLink) {
      return yield* ConsentToken.hashOf(yield* ConsentToken.managementTokenOf(token))
    },
    Effect.provideService(Digest.Digest, digest)
  )

  const nextContext = Effect.all({
    now: DateTime.now,
    grantId: GrantId.next,
    receiptId: ReceiptId.next,
    decidedEventId: EventId.next,
    grantedEventId: EventId.next,
    platformEventId: EventId.next,
    policy: Effect.succeed(policy),
    traceparent: Traceparent.current
  }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

  const commit = Effect.fnUntraced(function* (
    target: ConsentTarget<DataRequestId>,
    verdict: Verdict,
    link: OpenedLink | undefined
  ) {
    const managementTokenHash = link === undefined ? undefined : yield* managementHashOf(link)
    const context = { ...(yield* nextContext), managementTokenHash }
    const decided = yield* store.decide(target, (snapshot) => decideConsent(snapshot, verdict, context), link)
    if (Option.isSome(decided) && decided.value._tag === "Execute") {
      yield* countRequest(decided.value.plan.request)
    }
    return decided
  })

  const decide = Effect.fnUntraced(function* (
    target: ConsentTarget<DataRequestId>,
    verdict: Verdict,
    link?: OpenedLink
  ): Effect.fn.Return<ConsentPlan, DecisionFailed | ApprovalRefused> {
    const decided = yield* commit(target, verdict, link)
    if (Option.isNone(decided)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    switch (decided.value._tag) {
      case "Execute":
        return decided.value.plan
      case "Refuse":
        return yield* decided.value.reason
      case "Invalid":
        return yield* new ConsentRequestInvalid({ faults: decided.value.faults })
      case "Stands":
        return yield* new DataRequestDecided({ dataRequestId: target.id, status: decided.value.request.status })
    }
  })

  const approve = Effect.fn("DataRequests.approve")(function* (
    target: ConsentTarget<DataRequestId>,
    { actor, duration, fields, link, notice }: Approval
  ) {
    const { grant, request } = yield* decide(target, { _tag: "Approve", fields, duration, actor, notice }, link)
    return grant === undefined
      ? yield* Effect.die(new Error(`approving ${target.id} created no grant`))
      : { request, grant }
  })

  /**
   * Commits a denial or cancellation. Dies if the verdict is invalid or refused, which is possible only for an
   * approval.
   */
  const settle = (target: ConsentTarget<DataRequestId>, verdict: Verdict, link?: OpenedLink) =>
    decide(target, verdict, link).pipe(
      Effect.catchTag(["ConsentRequestInvalid", "MerchantNotActive", "AskingBlocked"], Effect.die),
      Effect.map(({ request }) => request)
    )

  const deny = Effect.fn("DataRequests.deny")(function* (
    target: ConsentTarget<DataRequestId>,
    { actor, link, notice, reason }: Denial
  ) {
    const request = yield* settle(target, { _tag: "Deny", reason, actor, notice }, link)
    if (reason === "NOT_ME") yield* flag(request)
    return request
  })

  const cancel = Effect.fn("DataRequests.cancel")((scope: MerchantScope, id: DataRequestId) =>
    settle({ id, scope }, { _tag: "Cancel" })
  )

  const expire = Effect.fn("DataRequests.expire")(function* (id: DataRequestId) {
    const decided = yield* commit({ id, scope: undefined }, { _tag: "Expire" }, undefined)
    return Option.exists(decided, ({ _tag }) => _tag === "Execute")
  })

  return { approve, deny, cancel, expire }
})

type Needs =
  | ConsentStore
  | ConsentLog
  | ConsentUpkeep
  | ConsentUrls
  | ConsentNotifier
  | UnknownConsumerLimit
  | Keyring
  | Responses
  | Digest.Digest
  | SecureRandom.SecureRandom

export const layer: Layer.Layer<DataRequests, never, Needs> = Layer.effect(
  DataRequests,
  Effect.gen(function* () {
    return DataRequests.of({
      create: yield* makeCreate,
      ...(yield* makeReads),
      ...(yield* makeLists),
      ...(yield* makeDecisions)
    })
  })
)
