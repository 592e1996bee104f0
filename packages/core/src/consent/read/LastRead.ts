import { DateTime } from "effect"
import { serviceIdField } from "../../consumer/IdentityField.js"
import type { GrantId } from "../../Ids.js"
import type { Grant } from "../grant/Grant.js"
import type { IdentityRead } from "./IdentityRead.js"

/** The latest read under a grant. */
export interface LastRead {
  readonly grantId: GrantId
  readonly read: IdentityRead
}

/**
 * Returns true if the read is under the grant: the grant's merchant has read a field that the grant covers, since the
 * grant was given. Every grant covers `service_id`.
 */
export const isUnder = ({ environment, fields, grantedAt, merchantId, userId }: Grant, read: IdentityRead): boolean =>
  read.userId === userId &&
  read.merchantId === merchantId &&
  read.environment === environment &&
  DateTime.isGreaterThanOrEqualTo(read.readAt, grantedAt) &&
  read.fields.some((field) => field === serviceIdField || fields.includes(field))
