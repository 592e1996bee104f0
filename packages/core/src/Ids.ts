import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import * as MonotonicUuid from "./MonotonicUuid.js"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
/** Value of a digit by character code, 0 for any other character. */
const values = new Uint8Array(128)
for (const [index, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = index
const hexDigits = "0123456789abcdef"
/** Two hexadecimal digits for each byte. */
const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

// 20 bits make four base-32 digits or five hexadecimal ones.
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
      bits = (bits << 5) | (values[padded.charCodeAt(digit)] ?? 0)
    }
    hex += `${hexDigits[bits >> 16]}${hexBytes[(bits >> 8) & 0xff]}${hexBytes[bits & 0xff]}`
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

/** Returns the UUID (lower case, hyphenated) inside any TypeID. */
export const toUuid = (id: string): string => {
  const hex = hexOf(id.slice(id.lastIndexOf("_") + 1))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns a TypeID's creation time in milliseconds: the first 48 bits of its UUIDv7. */
export const madeAtMillis = (id: string): number => Number.parseInt(toUuid(id).replace("-", "").slice(0, 12), 16)

/** Builds a TypeID from a prefix known only at run time. Otherwise use `RefundId.fromUuid(uuid)`. */
export const fromUuid = (prefix: string, uuid: string): string => `${prefix}_${suffixOf(uuid.replaceAll("-", ""))}`

/** A new id, which sorts after all earlier ids of this process (`MonotonicUuid`). */
type Next<Id> = Effect.Effect<Id, never, SecureRandom.SecureRandom>

/** Skips the schema's checks, which generated ids always pass: each refund needs three ids. */
const unchecked = { disableChecks: true } as const

const nextOf = <Id>(prefix: string, make: (text: string, options: typeof unchecked) => Id): Next<Id> =>
  Effect.map(MonotonicUuid.next, (hex) => make(`${prefix}_${suffixOf(hex)}`, unchecked))

/**
 * Builds the schema of one kind of TypeID: a prefix that names the kind, and a UUIDv7 in Crockford's base 32 (26
 * characters). Adds `next`, `toUuid` and `fromUuid`, whose results carry the kind's brand.
 *
 * @see https://github.com/jetify-com/typeid/tree/main/spec
 */
const typeId = <S extends Schema.Codec<string, string>>(prefix: string, brand: (text: Schema.String) => S) => {
  const schema = brand(
    Schema.String.check(
      Schema.isPattern(new RegExp(`^${prefix}_[0-7][${digits}]{25}$`, "u"), {
        expected: `an id of the form ${prefix}_ and 26 characters`
      })
    )
  )
  type Id = S["Type"]
  const make = (text: string): Id => schema.make(text)
  return Object.assign(schema, {
    next: nextOf<Id>(prefix, schema.make),
    toUuid: (id: Id): string => toUuid(id),
    fromUuid: (uuid: string): Id => make(fromUuid(prefix, uuid))
  })
}

/** Builds a schema that accepts a host's own ids. Ids generated here have the prefix. */
const opaqueId = <S extends Schema.Codec<string, string>>(prefix: string, brand: (text: Schema.String) => S) => {
  const schema = brand(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)))
  return Object.assign(schema, { next: nextOf<S["Type"]>(prefix, schema.make) })
}

export const MerchantId = typeId("merchant", Schema.brand("MerchantId"))
export type MerchantId = typeof MerchantId.Type

export const ApiKeyId = typeId("apikey", Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const EndpointId = typeId("endpoint", Schema.brand("EndpointId"))
export type EndpointId = typeof EndpointId.Type

export const VerificationId = typeId("kyc", Schema.brand("VerificationId"))
export type VerificationId = typeof VerificationId.Type

export const RefundId = typeId("refund", Schema.brand("RefundId"))
export type RefundId = typeof RefundId.Type

export const TransferId = typeId("transfer", Schema.brand("TransferId"))
export type TransferId = typeof TransferId.Type

export const DataRequestId = typeId("datareq", Schema.brand("DataRequestId"))
export type DataRequestId = typeof DataRequestId.Type

export const GrantId = typeId("grant", Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

export const ReceiptId = typeId("receipt", Schema.brand("ReceiptId"))
export type ReceiptId = typeof ReceiptId.Type

export const IdentityReadId = typeId("read", Schema.brand("IdentityReadId"))
export type IdentityReadId = typeof IdentityReadId.Type

export const RightsRequestId = typeId("rights", Schema.brand("RightsRequestId"))
export type RightsRequestId = typeof RightsRequestId.Type

export const EventId = typeId("event", Schema.brand("EventId"))
export type EventId = typeof EventId.Type

export const DeliveryId = typeId("delivery", Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const OperatorActionId = typeId("action", Schema.brand("OperatorActionId"))
export type OperatorActionId = typeof OperatorActionId.Type

export const OperatorSessionId = typeId("session", Schema.brand("OperatorSessionId"))
export type OperatorSessionId = typeof OperatorSessionId.Type

export const ProposalId = typeId("proposal", Schema.brand("ProposalId"))
export type ProposalId = typeof ProposalId.Type

/**
 * Id of a payment, `transaction_id` on the wire. Ours are `payment_…`. A host with its own payments keeps its own ids.
 */
export const PaymentId = opaqueId("payment", Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** Id of a user, `user_id` on the wire. Ours are `user_…`. A host with its own users keeps its own ids. */
export const UserId = opaqueId("user", Schema.brand("UserId"))
export type UserId = typeof UserId.Type
