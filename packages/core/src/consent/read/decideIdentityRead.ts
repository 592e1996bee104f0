import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, serviceIdField } from "../../consumer/IdentityField.js"
import type { ApiKeyId, IdentityReadId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { ConsentRequired } from "../ConsentError.js"
import { type Grant, grantAsOf, isInForce } from "../grant/Grant.js"
import { type DataRequest, dataRequestAsOf as requestAsOf } from "../request/DataRequest.js"
import type { IdentityRead } from "./IdentityRead.js"
import type { NotApproved } from "./IdentityRecord.js"

/** What a merchant wants to read, parsed: known fields. */
export interface IdentityReadCommand {
  readonly serviceId: ConsumerId
  /** Undefined: all approved fields. */
  readonly fields: ReadonlyArray<IdentityField> | undefined
}

/** What a read is decided on, read at one moment. */
export interface IdentityReadSnapshot {
  /** The person of the identifier in this environment. */
  readonly userId: UserId | undefined
  /** The person's grants to this merchant in this environment, ended ones included. */
  readonly grants: ReadonlyArray<Grant>
  /** This merchant's requests to the person in this environment. */
  readonly requests: ReadonlyArray<DataRequest>
}

/** The new values of a read, made before the decision so that deciding again repeats them. */
export interface IdentityReadContext {
  readonly scope: MerchantScope
  readonly now: DateTime.Utc
  readonly readId: IdentityReadId
  readonly apiKeyId: ApiKeyId | undefined
  /** Every known field. */
  readonly known: ReadonlyArray<IdentityField>
}

/** An allowed read. `read` is stored before any value is fetched. */
export interface IdentityReadPlan {
  readonly read: IdentityRead
  readonly notApproved: Readonly<Record<string, NotApproved>>
}

export type IdentityReadDecision =
  | { readonly _tag: "Execute"; readonly plan: IdentityReadPlan }
  | { readonly _tag: "Refuse"; readonly reason: ConsentRequired }

/**
 * Decides which fields a merchant may read, and why it may not read each other one. Pure and total.
 *
 * Without any active grant the read is refused exactly like one of an unknown person. With one, `service_id` is
 * approved (contract 7).
 */
export const decideIdentityRead = (
  { grants, requests, userId }: IdentityReadSnapshot,
  { fields, serviceId }: IdentityReadCommand,
  { apiKeyId, known, now, readId, scope }: IdentityReadContext
): IdentityReadDecision => {
  const inForce = grants.filter((grant) => isInForce(grant, now))
  if (userId === undefined || inForce.length === 0) return { _tag: "Refuse", reason: new ConsentRequired() }
  const approved = new Set<IdentityField>([serviceIdField, ...inForce.flatMap((grant) => grant.fields)])
  const asked = fields ?? known
  const refused = asked.filter((field) => !approved.has(field))
  const { environment, merchantId } = scope
  const read: IdentityRead = {
    id: readId,
    merchantId,
    environment,
    userId,
    serviceId,
    fields: asked.filter((field) => approved.has(field)),
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
    readAt: now
  }
  const notApproved = Object.fromEntries(refused.map((field) => [field, reasonOf(field, grants, requests, now)]))
  return { _tag: "Execute", plan: { read, notApproved } }
}

interface Dated {
  readonly at: DateTime.Utc
  readonly reason: NotApproved
}

/** Why a request leaves this field unreadable. */
const heardOfRequest = (request: DataRequest, field: IdentityField): ReadonlyArray<Dated> => {
  const { approvedFields, createdAt, decidedAt, expiresAt, requestedFields, status } = request
  if (!requestedFields.includes(field)) return []
  switch (status) {
    case "DENIED":
      return [{ at: decidedAt ?? createdAt, reason: "denied" }]
    case "APPROVED":
      return approvedFields?.includes(field) ? [] : [{ at: decidedAt ?? createdAt, reason: "denied" }]
    case "EXPIRED":
      return [{ at: expiresAt, reason: "expired" }]
    case "PENDING":
    case "CANCELLED":
      return []
  }
}

/** Why an ended grant leaves this field unreadable. */
const heardOfGrant = ({ expiresAt, fields, revokedAt, status }: Grant, field: IdentityField): ReadonlyArray<Dated> => {
  if (!fields.includes(field)) return []
  switch (status) {
    case "REVOKED":
      return [{ at: revokedAt ?? expiresAt, reason: "revoked" }]
    case "EXPIRED":
      return [{ at: expiresAt, reason: "expired" }]
    case "ACTIVE":
      return []
  }
}

/** `pending` if a decision on the field is outstanding, else the latest thing that happened to it. */
const reasonOf = (
  field: IdentityField,
  grants: ReadonlyArray<Grant>,
  requests: ReadonlyArray<DataRequest>,
  now: DateTime.Utc
): NotApproved => {
  const current = requests.map((request) => requestAsOf(request, now))
  if (current.some(({ requestedFields, status }) => status === "PENDING" && requestedFields.includes(field))) {
    return "pending"
  }
  const heard = [
    ...current.flatMap((request) => heardOfRequest(request, field)),
    ...grants.flatMap((grant) => heardOfGrant(grantAsOf(grant, now), field))
  ]
  const latest = heard.reduce<Dated | undefined>(
    (last, next) => (last === undefined || DateTime.isGreaterThan(next.at, last.at) ? next : last),
    undefined
  )
  return latest?.reason ?? "never_requested"
}
