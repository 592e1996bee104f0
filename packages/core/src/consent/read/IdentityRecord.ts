import { Redacted, Schema } from "effect"
import type { IdentityValues } from "../../consumer/ConsumerDirectory.js"
import { ConsumerId } from "../../consumer/ConsumerId.js"

/** Why a known field may not be read (contract 7). */
export const NotApproved = Schema.Literals(["never_requested", "pending", "denied", "expired", "revoked"])
export type NotApproved = typeof NotApproved.Type

/** What a merchant reads of a person. Values are redacted until they leave the service. */
export interface Identity {
  readonly serviceId: ConsumerId
  readonly fields: IdentityValues
  readonly notApproved: Readonly<Record<string, NotApproved>>
}

/** An identity as merchants read it. An approved field without a value is `null`. */
export const IdentityRecord = Schema.Struct({
  serviceId: ConsumerId,
  fields: Schema.Record(Schema.String, Schema.Json),
  notApproved: Schema.Record(Schema.String, NotApproved)
})
export type IdentityRecord = typeof IdentityRecord.Type

/** The identity in the clear. Only for the edge, which writes the response. */
export const reveal = ({ fields, notApproved, serviceId }: Identity): IdentityRecord => ({
  serviceId,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Redacted.value(value)])),
  notApproved
})
