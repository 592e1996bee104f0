import { Schema } from "effect"
import type { IdentityValues } from "../../consumer/ConsumerDirectory.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"

/** Why a known field is not among those that may be read (contract 7). */
export const NotApproved = Schema.Literals(["never_requested", "pending", "denied", "expired", "revoked"])
export type NotApproved = typeof NotApproved.Type

/** What a merchant has read of a person, its values redacted until they leave the service. */
export interface Identity {
  readonly serviceId: ConsumerId
  readonly fields: IdentityValues
  readonly notApproved: Readonly<Record<string, NotApproved>>
}
