import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, OperatorActionId } from "../Ids.js"

export const OperatorActionKind = Schema.Literals([
  "merchant.created",
  "merchant.status_changed",
  "merchant.settings_changed",
  "api_key.created",
  "api_key.rotated",
  "api_key.revoked",
  "consumer.created",
  "consumer.changed",
  "link.created",
  "link.removed",
  "payment.recorded",
  "transfer.posted",
  "data_request.approved",
  "data_request.denied",
  "grant.created",
  "grant.revoked",
  "consent_link.issued",
  "consent_link.shown",
  "asking_block.lifted",
  "endpoint.registered",
  "endpoint.changed",
  "endpoint.secret_rotated",
  "endpoint.removed",
  "endpoint.recovered",
  "endpoint.tested",
  "event.resent",
  "person.exported",
  "person.restricted",
  "person.restriction_lifted",
  "person.erased",
  "rights_request.closed",
  "person.looked_at",
  "session.opened",
  "session.ended",
  "proposal.made",
  "proposal.refused",
  "books.check_started"
])
export type OperatorActionKind = typeof OperatorActionKind.Type

/**
 * A value of an action's field, null if the field is unset. It must not be a consumer's personal detail, such as a name
 * or an e-mail address.
 */
const PlainValue = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))

/**
 * One field of an action, such as a changed setting. `from` and `to` are absent if they do not apply or must not be
 * shown. For a personal field, `fromHash` is a keyed hash of the old value, if any. It can confirm a claimed old value
 * without showing it.
 */
export const ActionChange = Schema.Struct({
  field: Schema.String,
  from: Schema.optionalKey(PlainValue),
  to: Schema.optionalKey(PlainValue),
  fromHash: Schema.optionalKey(Schema.String)
})
export type ActionChange = typeof ActionChange.Type

/** An action as described by the code that made the change. `OperatorActions` adds `actor`, `id` and `at`. */
export const OperatorActionDraft = Schema.Struct({
  kind: OperatorActionKind,
  /**
   * Id of the record concerned. For a person, the consumer identifier. If the action concerns no single record, a name
   * such as `books`.
   */
  target: Schema.String,
  environment: Schema.optionalKey(Environment),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId),
  /** Why: an operator's own words, or a code, such as `NOT_ME` for a denied data request. Absent if none was given. */
  reason: Schema.optionalKey(Schema.String),
  /** Empty if the kind alone describes the change. */
  changes: Schema.Array(ActionChange)
})
export type OperatorActionDraft = typeof OperatorActionDraft.Type

/** An operator's action: who, what, why and when. Stored in the commit of the change, and immutable (contract 15.2). */
export const OperatorAction = Schema.Struct({
  id: OperatorActionId,
  /** The operator's name, such as the name of a token's bearer. */
  actor: Schema.String,
  ...OperatorActionDraft.fields,
  at: Schema.DateTimeUtc
})
export type OperatorAction = typeof OperatorAction.Type
