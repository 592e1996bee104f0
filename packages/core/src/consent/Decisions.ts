import { DateTime, Effect, Metric, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import { ConsumerStore } from "../consumer/ConsumerStore.js"
import type { Environment } from "../Environment.js"
import * as Traceparent from "../event/Traceparent.js"
import { type DataRequestId, nextEventId, nextGrantId, nextReceiptId } from "../Ids.js"
import { hasSandboxAccess, type MerchantScope } from "../merchant/Merchant.js"
import type { MerchantNotActive } from "../merchant/MerchantError.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import { requireNotClosed } from "../merchant/openMerchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { Keyring } from "../secret/Keyring.js"
import type { AskingBlock } from "./asking/AskingBlock.js"
import type { ConsentActor } from "./ConsentActor.js"
import {
  AskingBlockNotFound,
  ConsentLinkUnknown,
  ConsentRequestInvalid,
  DataRequestDecided,
  DataRequestNotFound
} from "./ConsentError.js"
import { type ConsentListing, ConsentLog, type LinkedDataRequest, mayBeAsked } from "./ConsentLog.js"
import * as ConsentMetrics from "./ConsentMetrics.js"
import { ConsentStore, type ConsentTarget } from "./ConsentStore.js"
import { ConsentPolicy, type Notice } from "./grant/ConsentPolicy.js"
import type { Grant } from "./grant/Grant.js"
import * as ConsentToken from "./link/ConsentToken.js"
import type { Controller } from "./receipt/Receipt.js"
import { asOf, type DataRequest, type DenialReason } from "./request/DataRequest.js"
import { blockOf, type ConsentPlan, decideConsent, type Verdict } from "./request/decideConsent.js"

export interface Approval {
  readonly actor: ConsentActor
  /** Of the requested fields, those that may be read; all where none are named. */
  readonly fields?: ReadonlyArray<string>
  /** What the person was shown; the policy's where it is not told. */
  readonly notice?: Notice
}

export interface Denial {
  readonly actor: ConsentActor
  readonly reason: DenialReason
  /** What the person was shown; the policy's where it is not told. */
  readonly notice?: Notice
}

/** What a person is asked. */
export interface ConsentQuestion {
  /** As of now: it may have been decided, or have expired. */
  readonly request: DataRequest
  readonly controller: Controller
}

/** A question that waits for its answer, and where that is given. */
export interface PendingQuestion extends ConsentQuestion {
  /** Absent if the merchant may not ask the person, or the link cannot be opened any more. */
  readonly url: Redacted.Redacted<string> | undefined
}

export type DecisionFailed = DataRequestNotFound | DataRequestDecided | StoreError

/** What becomes of requests: by the person, or on their behalf by the host or the operator, and by the merchant. */
export interface Decisions {
  /**
   * Makes a grant of the approved fields; both events and the receipt stand in the same commit. Fails for a merchant that
   * is REJECTED or CLOSED.
   */
  readonly approve: (
    target: ConsentTarget<DataRequestId>,
    approval: Approval
  ) => Effect.Effect<
    { readonly request: DataRequest; readonly grant: Grant },
    DecisionFailed | ConsentRequestInvalid | MerchantNotActive
  >

  readonly deny: (target: ConsentTarget<DataRequestId>, denial: Denial) => Effect.Effect<DataRequest, DecisionFailed>

  /** Blocks the merchant of a request from asking its person again, until the operator lifts it. */
  readonly stopAsking: (target: ConsentTarget<DataRequestId>) => Effect.Effect<void, DataRequestNotFound | StoreError>

  /** Lets a merchant ask a person again who did not want to be asked. */
  readonly liftAskingBlock: (
    scope: MerchantScope,
    serviceId: ConsumerId
  ) => Effect.Effect<void, AskingBlockNotFound | StoreError>

  /** Operator's list of the merchants that may not ask, newest block first. */
  readonly askingBlocks: (listing: ConsentListing, page: PageRequest) => Effect.Effect<Page<AskingBlock>, StoreError>

  /** The merchant no longer asks. */
  readonly cancel: (scope: MerchantScope, id: DataRequestId) => Effect.Effect<DataRequest, DecisionFailed>

  /**
   * What the holder of a link is asked. A pending request's link leads nowhere if the person does not know the merchant
   * (`NOT_ME`), or if the merchant is REJECTED or CLOSED.
   */
  readonly byToken: (
    token: Redacted.Redacted<string>
  ) => Effect.Effect<ConsentQuestion, ConsentLinkUnknown | StoreError>

  /** Operator's list of what waits for a decision, newest first, with the links. */
  readonly pending: (environment: Environment, page: PageRequest) => Effect.Effect<Page<PendingQuestion>, StoreError>

  /** Operator's list of what people have denied as not meant for them, newest first: a sign of fraud. */
  readonly disowned: (environment: Environment, page: PageRequest) => Effect.Effect<Page<DataRequest>, StoreError>

  /** Records that the request has expired, if it has and nobody has done so. Tells whether it did. */
  readonly expire: (id: DataRequestId) => Effect.Effect<boolean, StoreError>
}

/** Requests that people have denied as not meant for them, by `environment`: a sign of fraud. */
export const disownedRequests = Metric.counter("consent_requests_disowned_total", {
  description: "Data requests that people have denied as not meant for them",
  incremental: true
})

const leadsNowhere = ({ blockedAs, merchantStatus, request }: LinkedDataRequest): boolean =>
  request.status === "PENDING" && (blockedAs === "NOT_ME" || !hasSandboxAccess(merchantStatus))

type Needs =
  | ConsentStore
  | ConsentLog
  | ConsumerStore
  | MerchantStore
  | Keyring
  | Digest.Digest
  | SecureRandom.SecureRandom

export const make: Effect.Effect<Decisions, never, Needs> = Effect.gen(function* () {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const consumers = yield* ConsumerStore
  const keyring = yield* Keyring
  const merchants = yield* MerchantStore
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const policy = yield* ConsentPolicy

  const nextContext = Effect.all({
    now: DateTime.now,
    grantId: nextGrantId,
    receiptId: nextReceiptId,
    decidedEventId: nextEventId,
    grantedEventId: nextEventId,
    policy: Effect.succeed(policy),
    traceparent: Traceparent.current
  }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

  const decideOnce = Effect.fnUntraced(function* (
    target: ConsentTarget<DataRequestId>,
    verdict: Verdict
  ): Effect.fn.Return<ConsentPlan, DecisionFailed | ConsentRequestInvalid> {
    const context = yield* nextContext
    const decision = yield* store.decide(target, (snapshot) => decideConsent(snapshot, verdict, context))
    if (Option.isNone(decision)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    switch (decision.value._tag) {
      case "Execute":
        yield* ConsentMetrics.countEnded(decision.value.plan.request)
        return decision.value.plan
      case "Invalid":
        return yield* new ConsentRequestInvalid({ faults: decision.value.faults })
      case "Stands":
        return yield* new DataRequestDecided({ dataRequestId: target.id, status: decision.value.request.status })
    }
  })

  const approve = Effect.fn("Consents.approve")(function* (
    target: ConsentTarget<DataRequestId>,
    { actor, fields, notice }: Approval
  ) {
    const found = yield* log.findRequest(target)
    if (Option.isSome(found)) yield* requireNotClosed(merchants, found.value)
    const { grant, request } = yield* decideOnce(target, { _tag: "Approve", fields, actor, notice })
    return grant === undefined
      ? yield* Effect.die(new Error(`approving ${target.id} made no grant`))
      : { request, grant }
  })

  const settle = (target: ConsentTarget<DataRequestId>, verdict: Exclude<Verdict, { readonly _tag: "Approve" }>) =>
    decideOnce(target, verdict).pipe(
      Effect.catchTag("ConsentRequestInvalid", Effect.die),
      Effect.map(({ request }) => request)
    )

  const deny = Effect.fn("Consents.deny")(function* (
    target: ConsentTarget<DataRequestId>,
    { actor, notice, reason }: Denial
  ) {
    const request = yield* settle(target, { _tag: "Deny", reason, actor, notice })
    if (reason === "NOT_ME") yield* flag(request)
    return request
  })

  /** Somebody asks for a person's fields whom the person does not know: for whoever is on call. */
  const flag = ({ environment, id, merchantId }: DataRequest) =>
    Effect.logWarning("A person says that a data request is not for them").pipe(
      Effect.annotateLogs({ dataRequestId: id, merchantId, environment }),
      Effect.andThen(Metric.update(Metric.withAttributes(disownedRequests, { environment }), 1))
    )

  const stopAsking = Effect.fn("Consents.stopAsking")(function* (target: ConsentTarget<DataRequestId>) {
    const found = yield* log.findRequest(target)
    if (Option.isNone(found)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    yield* store.block(blockOf(found.value, "STOP_ASKING", yield* DateTime.now))
  })

  const liftAskingBlock = Effect.fn("Consents.liftAskingBlock")(function* (
    scope: MerchantScope,
    serviceId: ConsumerId
  ) {
    const consumer = yield* consumers.findByServiceId(scope.environment, serviceId)
    const wasBlocking =
      Option.isSome(consumer) && (yield* store.liftBlock(scope, consumer.value.id, yield* DateTime.now))
    if (!wasBlocking) return yield* new AskingBlockNotFound()
    yield* Effect.logInfo("Asking block lifted").pipe(Effect.annotateLogs({ ...scope }))
  })

  const cancel = Effect.fn("Consents.cancel")((scope: MerchantScope, id: DataRequestId) =>
    settle({ id, scope }, { _tag: "Cancel" })
  )

  const expire = Effect.fn("Consents.expire")(function* (id: DataRequestId) {
    const context = yield* nextContext
    const decision = yield* store.decide({ id, scope: undefined }, (snapshot) =>
      decideConsent(snapshot, { _tag: "Expire" }, context)
    )
    if (Option.isNone(decision) || decision.value._tag !== "Execute") return false
    yield* ConsentMetrics.countEnded(decision.value.plan.request)
    return true
  })

  const byToken = Effect.fn("Consents.byToken")(function* (token: Redacted.Redacted<string>) {
    const tokenHash = yield* Effect.provideService(ConsentToken.hashOf(token), Digest.Digest, digest)
    const found = yield* log.findByToken(tokenHash)
    if (Option.isNone(found)) return yield* new ConsentLinkUnknown()
    const { controller, request } = found.value
    if (leadsNowhere(found.value)) return yield* new ConsentLinkUnknown()
    return { request: asOf(request, yield* DateTime.now), controller }
  })

  const withUrl = ({ controller, request, sealedUrl, ...standing }: LinkedDataRequest) =>
    (sealedUrl === undefined || !mayBeAsked(standing)
      ? Effect.succeedNone
      : Effect.option(keyring.open(request.id, sealedUrl))
    ).pipe(Effect.map((url): PendingQuestion => ({ request, controller, url: Option.getOrUndefined(url) })))

  const pending = Effect.fn("Consents.pending")(function* (environment: Environment, page: PageRequest) {
    const { data, nextCursor } = yield* log.listPending(environment, yield* DateTime.now, page)
    return { data: yield* Effect.forEach(data, withUrl), nextCursor }
  })

  return {
    ...{ approve, deny, cancel, byToken, pending, expire, stopAsking, liftAskingBlock },
    disowned: log.listDisowned,
    askingBlocks: log.listBlocks
  }
})
