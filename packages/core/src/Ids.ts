import { Clock, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
const values: ReadonlyMap<string, number> = new Map([...digits].map((digit, index) => [digit, index]))

/**
 * A TypeID: a prefix that names the record's kind, and a UUIDv7 in Crockford's base 32 (26 characters).
 *
 * @see https://github.com/jetify-com/typeid/tree/main/spec
 */
const typeId = <const Prefix extends string>(prefix: Prefix) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][${digits}]{25}$`, "u"), {
      expected: `an id of the form ${prefix}_ and 26 characters`
    })
  )

export const MerchantId = typeId("merchant").pipe(Schema.brand("MerchantId"))
export type MerchantId = typeof MerchantId.Type

export const ApiKeyId = typeId("apikey").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const EndpointId = typeId("endpoint").pipe(Schema.brand("EndpointId"))
export type EndpointId = typeof EndpointId.Type

export const VerificationId = typeId("kyc").pipe(Schema.brand("VerificationId"))
export type VerificationId = typeof VerificationId.Type

export const RefundId = typeId("refund").pipe(Schema.brand("RefundId"))
export type RefundId = typeof RefundId.Type

export const TransferId = typeId("transfer").pipe(Schema.brand("TransferId"))
export type TransferId = typeof TransferId.Type

export const DataRequestId = typeId("datareq").pipe(Schema.brand("DataRequestId"))
export type DataRequestId = typeof DataRequestId.Type

export const GrantId = typeId("grant").pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

export const ReceiptId = typeId("receipt").pipe(Schema.brand("ReceiptId"))
export type ReceiptId = typeof ReceiptId.Type

export const IdentityReadId = typeId("read").pipe(Schema.brand("IdentityReadId"))
export type IdentityReadId = typeof IdentityReadId.Type

export const EventId = typeId("event").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

export const DeliveryId = typeId("delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

const opaque = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

/** `transaction_id`: ours are `payment_…`; a host that brings its own payments keeps its own ids. */
export const PaymentId = opaque.pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** `user_id`: ours are `user_…`; a host that brings its own users keeps its own ids. */
export const UserId = opaque.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

// 20 bits are four digits of base 32, and five of base 16.
const quadBits = 20
const quadsOfSuffix = 7
const quadDigits = 4
const quadHexDigits = 5
const suffixLength = 26
const hexLength = 32

const pairs = [...digits].flatMap((first) => [...digits].map((second) => `${first}${second}`))
const pairBits = quadBits / 2
const pairMask = 2 ** pairBits - 1

const hexOf = (suffix: string): string => {
  const padded = suffix.padStart(quadsOfSuffix * quadDigits, "0")
  let hex = ""
  for (let quad = 0; quad < quadsOfSuffix; quad += 1) {
    let bits = 0
    for (let digit = quad * quadDigits; digit < (quad + 1) * quadDigits; digit += 1) {
      bits = (bits << 5) | (values.get(padded.charAt(digit)) ?? 0)
    }
    hex += bits.toString(16).padStart(quadHexDigits, "0")
  }
  return hex.slice(-hexLength)
}

const suffixOf = (hex: string): string => {
  const padded = hex.padStart(quadsOfSuffix * quadHexDigits, "0")
  let suffix = ""
  for (let quad = 0; quad < quadsOfSuffix; quad += 1) {
    const bits = Number.parseInt(padded.slice(quad * quadHexDigits, (quad + 1) * quadHexDigits), 16)
    suffix += `${pairs[bits >> pairBits]}${pairs[bits & pairMask]}`
  }
  return suffix.slice(-suffixLength)
}

/** The UUID (lower case, hyphenated) inside a TypeID. */
export const toUuid = (id: string): string => {
  const hex = hexOf(id.slice(id.lastIndexOf("_") + 1))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The text of a TypeID: `fromUuid("refund", uuid)`. Decode it with the id's schema where the brand is wanted. */
export const fromUuid = (prefix: string, uuid: string): string => `${prefix}_${suffixOf(uuid.replaceAll("-", ""))}`

/**
 * A new UUIDv7 (RFC 9562): 48 bits of the `Clock`'s milliseconds, the rest from `SecureRandom`, so ids sort by time
 * and a test can fix them.
 */
const uuidV7 = Effect.gen(function* () {
  const random = Hex.encode(yield* (yield* SecureRandom.SecureRandom).randomBytes(10))
  const time = (yield* Clock.currentTimeMillis).toString(16).padStart(12, "0")
  const variant = (0b1000 | (Number.parseInt(random.charAt(4), 16) & 0b0011)).toString(16)
  return `${time}7${random.slice(0, 3)}${variant}${random.slice(5)}`
})

const generator = <A>(prefix: string, make: (text: string) => A): Effect.Effect<A, never, SecureRandom.SecureRandom> =>
  Effect.map(uuidV7, (hex) => make(`${prefix}_${suffixOf(hex)}`))

export const nextMerchantId = generator("merchant", (id) => MerchantId.make(id))
export const nextApiKeyId = generator("apikey", (id) => ApiKeyId.make(id))
export const nextEndpointId = generator("endpoint", (id) => EndpointId.make(id))
export const nextPaymentId = generator("payment", (id) => PaymentId.make(id))
export const nextUserId = generator("user", (id) => UserId.make(id))
export const nextVerificationId = generator("kyc", (id) => VerificationId.make(id))
export const nextRefundId = generator("refund", (id) => RefundId.make(id))
export const nextTransferId = generator("transfer", (id) => TransferId.make(id))
export const nextDataRequestId = generator("datareq", (id) => DataRequestId.make(id))
export const nextGrantId = generator("grant", (id) => GrantId.make(id))
export const nextReceiptId = generator("receipt", (id) => ReceiptId.make(id))
export const nextIdentityReadId = generator("read", (id) => IdentityReadId.make(id))
export const nextEventId = generator("event", (id) => EventId.make(id))
export const nextDeliveryId = generator("delivery", (id) => DeliveryId.make(id))
