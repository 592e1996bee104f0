import { DateTime } from "effect"
import { ConsumerNotFound } from "../../consumer/Consumers.js"
import { type IdentityField, serviceIdField } from "../../consumer/IdentityField.js"
import type { DataRequestId, UserId } from "../../Ids.js"
import { type Fingerprint, type Fingerprints, isSameRequest } from "../../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import { hasSandboxAccess, type MerchantScope, type MerchantStatus } from "../../merchant/Merchant.js"
import { MerchantNotActive } from "../../merchant/MerchantError.js"
import { allowedReturnUrl } from "../../merchant/ReturnUrl.js"
import type { SealedSecret } from "../../secret/Keyring.js"
import type { AskLimits } from "../asking/AskLimits.js"
import { AskingBlocked, type AskingHistory, type AskRefused, askingRefusal } from "../asking/decideAsk.js"
import { ReturnUrlNotAllowed } from "../ConsentError.js"
import { type ConsentPolicy, purposeOf } from "../grant/ConsentPolicy.js"
import { type Grant, isInForce } from "../grant/Grant.js"
import type { GrantDuration } from "../grant/GrantDuration.js"
import type { ConsentLink } from "../link/ConsentToken.js"
import type { Controller } from "../receipt/Receipt.js"
import type { DataRequest } from "./DataRequest.js"
import type { DataRequestCommand } from "./DataRequestCommand.js"

/** The data request for which the idempotency key is already stored. */
export interface PriorDataRequest {
  readonly requestId: DataRequestId
  readonly fingerprint: Fingerprint
  /** The stored response, without the consent link. */
  readonly answer: string
  /** The consent link's url, sealed. Undefined if no link is stored. */
  readonly sealedUrl: SealedSecret | undefined
}

/** A pending request for the same person, set of fields, purpose and duration as the new one. */
export interface OpenDataRequest {
  readonly request: DataRequest
  /** The stored response, without the consent link. */
  readonly answer: string
  readonly sealedUrl: SealedSecret | undefined
}

/** The stored data on which `decideDataRequest` depends, loaded by `ConsentStore.request`. */
export interface DataRequestSnapshot {
  readonly prior: PriorDataRequest | undefined
  readonly controller: Controller
  readonly merchantStatus: MerchantStatus
  /** The merchant's own purpose text, if it has one. */
  readonly ownPurpose: string | undefined
  /** Return urls allowed for the merchant. */
  readonly returnUrls: ReadonlyArray<string>
  /** User id of the person with the command's `serviceId`. Undefined if the environment has no such person. */
  readonly userId: UserId | undefined
  /** True if processing of the person's details is restricted (contract 17). Default: false. */
  readonly isRestricted?: boolean
  /** The person's grants to this merchant in this environment that are stored as active. */
  readonly grants: ReadonlyArray<Grant>
  /** An equal request that is pending at `DataRequestLookup.now`. */
  readonly open: OpenDataRequest | undefined
  /** Undefined if the person is unknown, or requests to this person are not limited (`isBounded`). */
  readonly history: AskingHistory | undefined
}

/** Inputs of a decision besides its snapshot and command. Deciding again reuses the same id, link and time. */
export interface DataRequestContext {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprints: Fingerprints
  readonly now: DateTime.Utc
  readonly requestId: DataRequestId
  readonly link: ConsentLink
  readonly policy: ConsentPolicy
  readonly limits: AskLimits
  /** Serialises the response to be stored. */
  readonly responseOf: (request: DataRequest) => string
}

/** All changes that create a data request, committed atomically. */
export interface DataRequestPlan {
  readonly request: DataRequest
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  readonly answer: string
  /** Link to the page where the person decides. Undefined if no one is asked. */
  readonly link: ConsentLink | undefined
  /** When to notify the person. Undefined if no notification is sent. */
  readonly notifyAt: DateTime.Utc | undefined
}

/**
 * Changes for a new request that equals a pending one. They store the new request's idempotency key. A retry with that
 * key returns the pending request's stored response.
 */
export interface RepeatPlan {
  readonly open: OpenDataRequest
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  readonly repeatedAt: DateTime.Utc
  /** The new return url and state of the pending request. If undefined, the pending request keeps its own. */
  readonly returnTo: ReturnTo | undefined
}

/** Return url, with its `state`. The consent page leads the person there after a decision other than `NOT_ME`. */
export interface ReturnTo {
  readonly url: string
  readonly state: string | undefined
}

/** Replaces the request's return url and state. A no-op if `returnTo` is undefined. */
export const leadingTo = (request: DataRequest, returnTo: ReturnTo | undefined): DataRequest => {
  if (returnTo === undefined) return request
  const { state: _, ...asked } = request
  return { ...asked, returnUrl: returnTo.url, ...(returnTo.state === undefined ? {} : { state: returnTo.state }) }
}

export type DataRequestDecision =
  | { readonly _tag: "Execute"; readonly plan: DataRequestPlan }
  | { readonly _tag: "Replay"; readonly prior: PriorDataRequest }
  | { readonly _tag: "KeyReused" }
  /** An equal request is pending, so the person is not asked again. */
  | { readonly _tag: "Repeat"; readonly plan: RepeatPlan }
  | {
      readonly _tag: "Refuse"
      readonly reason: MerchantNotActive | ConsumerNotFound | ReturnUrlNotAllowed | AskRefused
    }

/**
 * Decides a data request. Pure and total.
 *
 * A repeated key replays the stored response, or is rejected if the request differs. With a new key, a request is
 * refused if the merchant is REJECTED or CLOSED, the return url is not allowed, or the person is unknown. If active
 * grants for the same purpose cover every requested field, the request is approved immediately, and the person is not
 * asked. If an equal request is pending, that request is returned without another notification. A restricted person is
 * not asked, as if they had blocked the merchant (contract 17). Limits on asking come last, so they refuse only new
 * requests (contract 7). In LIVE the person is notified; in TEST the merchant gets the link.
 */
export const decideDataRequest = (
  snapshot: DataRequestSnapshot,
  command: DataRequestCommand,
  context: DataRequestContext
): DataRequestDecision => {
  const { grants, merchantStatus, prior, userId } = snapshot
  if (prior !== undefined) {
    return isSameRequest(prior.fingerprint, context.fingerprints) ? { _tag: "Replay", prior } : { _tag: "KeyReused" }
  }
  if (!hasSandboxAccess(merchantStatus)) {
    const { environment, merchantId } = context.scope
    return { _tag: "Refuse", reason: new MerchantNotActive({ merchantId, environment, status: merchantStatus }) }
  }
  // Comes before the person, so that a request that asks no one does not reveal whether the person exists.
  const returnTo = returnToOf(command, snapshot)
  if (command.returnUrl !== undefined && returnTo === undefined) {
    return { _tag: "Refuse", reason: new ReturnUrlNotAllowed() }
  }
  if (userId === undefined) {
    return { _tag: "Refuse", reason: new ConsumerNotFound({ serviceId: command.serviceId }) }
  }
  const purpose = purposeOf(command.purpose, snapshot)
  const covered = coveredBy(grants, purpose, command.duration, context.now)
  const granted = command.requestedFields.every((field) => covered.has(field))
  if (!granted) {
    if (snapshot.open !== undefined) return repeatOf(snapshot.open, returnTo, context)
    if (snapshot.isRestricted === true) return { _tag: "Refuse", reason: new AskingBlocked() }
    const reason = snapshot.history && askingRefusal(snapshot.history, context.limits, context.now)
    if (reason !== undefined) return { _tag: "Refuse", reason }
  }
  return { _tag: "Execute", plan: planOf(command, { userId, purpose, returnTo, granted }, context) }
}

const returnToOf = (
  { returnUrl, state }: DataRequestCommand,
  { returnUrls }: DataRequestSnapshot
): ReturnTo | undefined => {
  const url = returnUrl === undefined ? undefined : allowedReturnUrl(returnUrl, returnUrls)
  return url === undefined ? undefined : { url, state }
}

const repeatOf = (
  open: OpenDataRequest,
  returnTo: ReturnTo | undefined,
  { fingerprints: [fingerprint], idempotencyKey, now }: DataRequestContext
): DataRequestDecision => ({ _tag: "Repeat", plan: { open, idempotencyKey, fingerprint, repeatedAt: now, returnTo } })

/**
 * Returns the fields that active grants cover for this purpose. Each such grant also covers `service_id`. A one-time
 * grant covers only one-time requests.
 */
const coveredBy = (
  grants: ReadonlyArray<Grant>,
  purpose: string,
  duration: GrantDuration | undefined,
  at: DateTime.Utc
): ReadonlySet<IdentityField> => {
  const inForce = grants.filter(
    (grant) =>
      grant.purpose === purpose && isInForce(grant, at) && (grant.oneTime === undefined || duration === "ONE_TIME")
  )
  return new Set(inForce.flatMap(({ fields }) => [serviceIdField, ...fields]))
}

const planOf = (
  { duration, requestedFields, serviceId }: DataRequestCommand,
  {
    granted,
    purpose,
    returnTo,
    userId
  }: {
    readonly userId: UserId
    readonly purpose: string
    readonly returnTo: ReturnTo | undefined
    readonly granted: boolean
  },
  { fingerprints, idempotencyKey, link, now, policy, requestId, responseOf, scope }: DataRequestContext
): DataRequestPlan => {
  const { environment, merchantId } = scope
  const request: DataRequest = {
    id: requestId,
    merchantId,
    environment,
    userId,
    serviceId,
    requestedFields,
    purpose,
    ...(duration === undefined ? {} : { duration }),
    ...(returnTo === undefined ? {} : { returnUrl: returnTo.url }),
    ...(returnTo?.state === undefined ? {} : { state: returnTo.state }),
    status: granted ? "APPROVED" : "PENDING",
    createdAt: now,
    expiresAt: DateTime.addDuration(now, policy.requestLifetime),
    ...(granted ? { approvedFields: requestedFields, decidedAt: now } : {})
  }
  return {
    request,
    idempotencyKey,
    fingerprint: fingerprints[0],
    answer: responseOf(request),
    link: granted ? undefined : link,
    notifyAt: granted || environment === "TEST" ? undefined : now
  }
}
