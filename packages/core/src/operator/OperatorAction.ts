import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, OperatorActionId } from "../Ids.js"

/** What an operator did: the kind of the record, and what happened to it. */
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

/** A value that reveals nothing about a person. */
const PlainValue = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))

/**
 * One field that an action changed. A personal field has neither value: `fromHash` is a keyed hash of the old one,
 * which proves a claimed value without showing it.
 */
export const ActionChange = Schema.Struct({
  field: Schema.String,
  from: Schema.optionalKey(PlainValue),
  to: Schema.optionalKey(PlainValue),
  fromHash: Schema.optionalKey(Schema.String)
})
export type ActionChange = typeof ActionChange.Type

/** What changed, reported by the caller once the change is made. */
export const OperatorActionDraft = Schema.Struct({
  kind: OperatorActionKind,
  /** The id of the record that was changed. No personal value: a consumer is named by its consumer identifier. */
  target: Schema.String,
  environment: Schema.optionalKey(Environment),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId),
  /** The operator's words, where the command has some. */
  reason: Schema.optionalKey(Schema.String),
  /** Empty where the kind says all. */
  changes: Schema.Array(ActionChange)
})
export type OperatorActionDraft = typeof OperatorActionDraft.Type

/** An operator's change: who, what, why and when. Stored in the change's own commit, never changed (contract 15.2). */
export const OperatorAction = Schema.Struct({
  id: OperatorActionId,
  /** The operator's name, as its token or the command line has it. */
  actor: Schema.String,
  ...OperatorActionDraft.fields,
  at: Schema.DateTimeUtc
})
export type OperatorAction = typeof OperatorAction.Type
