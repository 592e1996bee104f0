import { Schema } from "effect"
import type { IdentityValues } from "../../consumer/ConsumerDirectory.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"

/** Why a known field may not be read (contract 7). */
export const NotApproved = Schema.Literals(["never_requested", "pending", "denied", "expired", "revoked"])
export type NotApproved = typeof NotApproved.Type

/** Data that a merchant reads about a person. Values are redacted until they leave the service. */
export interface Identity {
  readonly serviceId: ConsumerId
  readonly fields: IdentityValues
  readonly notApproved: Readonly<Record<string, NotApproved>>
}
