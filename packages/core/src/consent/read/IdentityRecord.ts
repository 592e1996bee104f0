import { Redacted, Schema } from "effect"
import type { IdentityValues } from "../../consumer/ConsumerDirectory.js"
import { ConsumerId } from "../../consumer/ConsumerId.js"

/** Why a known field is not among those that may be read (contract 7). */
export const NotApproved = Schema.Literals(["never_requested", "pending", "denied", "expired", "revoked"])
export type NotApproved = typeof NotApproved.Type

/** What a merchant has read of a person, its values redacted until they leave the service. */
export interface Identity {
  readonly serviceId: ConsumerId
  readonly fields: IdentityValues
  readonly notApproved: Readonly<Record<string, NotApproved>>
}

/** An identity as merchants read it. An approved field that the person has no value of is `null`. */
export const IdentityRecord = Schema.Struct({
  serviceId: ConsumerId,
  fields: Schema.Record(Schema.String, Schema.Json),
  notApproved: Schema.Record(Schema.String, NotApproved)
})
export type IdentityRecord = typeof IdentityRecord.Type

/** The identity in the clear. For the edge alone, where the answer is written. */
export const reveal = ({ fields, notApproved, serviceId }: Identity): IdentityRecord => ({
  serviceId,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Redacted.value(value)])),
  notApproved
})
