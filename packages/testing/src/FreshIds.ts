import { createHash } from "node:crypto"
import * as Ids from "@surety/core/Ids"
import * as IdempotencyKey from "@surety/core/idempotency/IdempotencyKey"
import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { Past } from "./Past.js"

const random = SecureRandom.make(SecureRandom.randomBytesUnsafe)

/** Provides `SecureRandom`, which core's id generators need. */
export const withRandom: <A, E, R>(
  self: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, Exclude<R, SecureRandom.SecureRandom>> = Effect.provideService(
  SecureRandom.SecureRandom,
  random
)

const lowBits = 30

/** A 42-bit counter included in every id. It starts at a random 40-bit number. */
let count = Number.parseInt(Hex.encode(SecureRandom.randomBytesUnsafe(5)), 16)

const hexOf = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/** Returns a UUIDv7 for the time, in hex. Within a millisecond, ids sort in the order of creation, like core's ids. */
const uuidAt = (at: DateTime.Utc): string => {
  count += 1
  const time = hexOf(DateTime.toEpochMillis(at), 12)
  const [high, low] = [Math.floor(count / 2 ** lowBits), count % 2 ** lowBits]
  return `${time}7${hexOf(high, 3)}${hexOf(2 ** 31 + low, 8)}${Hex.encode(SecureRandom.randomBytesUnsafe(4))}`
}

export const merchantId = (at: DateTime.Utc): Ids.MerchantId => Ids.MerchantId.fromUuid(uuidAt(at))
export const apiKeyId = (at: DateTime.Utc): Ids.ApiKeyId => Ids.ApiKeyId.fromUuid(uuidAt(at))
export const endpointId = (at: DateTime.Utc): Ids.EndpointId => Ids.EndpointId.fromUuid(uuidAt(at))
export const userId = (at: DateTime.Utc): Ids.UserId => Ids.UserId.make(Ids.fromUuid("user", uuidAt(at)))
export const paymentId = (at: DateTime.Utc): Ids.PaymentId => Ids.PaymentId.make(Ids.fromUuid("payment", uuidAt(at)))
export const refundId = (at: DateTime.Utc): Ids.RefundId => Ids.RefundId.fromUuid(uuidAt(at))
export const verificationId = (at: DateTime.Utc): Ids.VerificationId => Ids.VerificationId.fromUuid(uuidAt(at))
export const transferId = (at: DateTime.Utc): Ids.TransferId => Ids.TransferId.fromUuid(uuidAt(at))
export const dataRequestId = (at: DateTime.Utc): Ids.DataRequestId => Ids.DataRequestId.fromUuid(uuidAt(at))
export const grantId = (at: DateTime.Utc): Ids.GrantId => Ids.GrantId.fromUuid(uuidAt(at))
export const receiptId = (at: DateTime.Utc): Ids.ReceiptId => Ids.ReceiptId.fromUuid(uuidAt(at))
export const identityReadId = (at: DateTime.Utc): Ids.IdentityReadId => Ids.IdentityReadId.fromUuid(uuidAt(at))
export const operatorActionId = (at: DateTime.Utc): Ids.OperatorActionId => Ids.OperatorActionId.fromUuid(uuidAt(at))
export const operatorSessionId = (at: DateTime.Utc): Ids.OperatorSessionId => Ids.OperatorSessionId.fromUuid(uuidAt(at))
export const proposalId = (at: DateTime.Utc): Ids.ProposalId => Ids.ProposalId.fromUuid(uuidAt(at))
export const rightsRequestId = (at: DateTime.Utc): Ids.RightsRequestId => Ids.RightsRequestId.fromUuid(uuidAt(at))
export const eventId = (at: DateTime.Utc): Ids.EventId => Ids.EventId.fromUuid(uuidAt(at))

export const randomText = (prefix: string): string => `${prefix}-${Hex.encode(SecureRandom.randomBytesUnsafe(12))}`

export const idempotencyKey = (): IdempotencyKey.IdempotencyKey => IdempotencyKey.IdempotencyKey.make(randomText("key"))

export const sha256 = (content: string, encoding: "hex" | "base64url"): string =>
  createHash("sha256").update(content).digest(encoding)

/** Current time, in whole milliseconds. */
export const now: Effect.Effect<DateTime.Utc> = DateTime.now

export const later = (at: DateTime.Utc, milliseconds: number): DateTime.Utc => DateTime.add(at, { milliseconds })

/**
 * A past time reserved for the running law. The first use waits until no other law holds one. The reservation lasts
 * until the law ends.
 */
export const longAgo: Effect.Effect<DateTime.Utc, never, Past> = Effect.flatMap(Past, ({ moment }) => moment)
