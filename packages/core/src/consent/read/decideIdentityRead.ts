import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, serviceIdField } from "../../consumer/IdentityField.js"
import type { ApiKeyId, IdentityReadId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { ConsentRequired } from "../ConsentError.js"
import { type Grant, asOf as grantAsOf, isInForce } from "../grant/Grant.js"
import { type DataRequest, asOf as requestAsOf } from "../request/DataRequest.js"
import type { IdentityRead } from "./IdentityRead.js"
import type { NotApproved } from "./IdentityRecord.js"

/** What a merchant wants to read, understood: known fields. */
export interface IdentityReadCommand {
  readonly serviceId: ConsumerId
  /** Absent: all that are approved. */
  readonly fields: ReadonlyArray<IdentityField> | undefined
}

/** All that the rules of a reading need to know, read at one moment. */
export interface IdentityReadSnapshot {
  /** The person that the identifier names in this environment. */
  readonly userId: UserId | undefined
  /** The person's grants to this merchant in this environment, ended ones too. */
  readonly grants: ReadonlyArray<Grant>
  /** What this merchant has asked the person for in this environment. */
  readonly requests: ReadonlyArray<DataRequest>
}

/** What is new about a reading: made before the decision, so that it can be replayed. */
export interface IdentityReadContext {
  readonly scope: MerchantScope
  readonly now: DateTime.Utc
  readonly readId: IdentityReadId
  readonly apiKeyId: ApiKeyId | undefined
  /** Every field that there is. */
  readonly known: ReadonlyArray<IdentityField>
}

/** A reading that is allowed. `read` is to be stored before any value is fetched. */
export interface IdentityReadPlan {
  readonly read: IdentityRead
  readonly notApproved: Readonly<Record<string, NotApproved>>
}

export type IdentityReadDecision =
  | { readonly _tag: "Execute"; readonly plan: IdentityReadPlan }
  | { readonly _tag: "Refuse"; readonly reason: ConsentRequired }

/**
 * Decides which fields a merchant may read, and tells of each other one why not. Pure and total.
 *
 * Without any grant in force the reading is refused, in the same way as for a person that there is not. With one,
 * `service_id` is approved (contract 7).
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

/** What a request says of why this field may not be read. */
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

/** What a grant that has ended says of why this field may no longer be read. */
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

/** Waiting for a decision, else the latest thing that happened to the field, else nothing ever did. */
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
