import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import * as Ids from "@surety/core/Ids"
import { Option, Schema, SchemaGetter, SchemaTransformation } from "effect"

/**
 * Checks the form of a UUID. The TypeID schemas below also decode list cursors, which are untrusted and may hold any
 * string.
 */
const Uuid = Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u))

/** Builds the schema of a TypeID, which the table stores as a UUID. */
const typeId = <S extends Schema.Codec<string, string>>(prefix: string, id: S) =>
  Uuid.pipe(
    Schema.decodeTo(
      id,
      SchemaTransformation.transform<string, string>({
        decode: (uuid) => Ids.fromUuid(prefix, uuid),
        encode: Ids.toUuid
      })
    )
  )

export const merchantId = typeId("merchant", Ids.MerchantId)
export const apiKeyId = typeId("apikey", Ids.ApiKeyId)
export const endpointId = typeId("endpoint", Ids.EndpointId)
export const verificationId = typeId("kyc", Ids.VerificationId)
export const refundId = typeId("refund", Ids.RefundId)
export const eventId = typeId("event", Ids.EventId)
export const deliveryId = typeId("delivery", Ids.DeliveryId)
export const dataRequestId = typeId("datareq", Ids.DataRequestId)
export const grantId = typeId("grant", Ids.GrantId)
export const receiptId = typeId("receipt", Ids.ReceiptId)
export const identityReadId = typeId("read", Ids.IdentityReadId)
export const rightsRequestId = typeId("rights", Ids.RightsRequestId)
export const transferId = typeId("transfer", Ids.TransferId)
export const operatorActionId = typeId("action", Ids.OperatorActionId)
export const operatorSessionId = typeId("session", Ids.OperatorSessionId)
export const proposalId = typeId("proposal", Ids.ProposalId)
export const consumerId = ConsumerId

/** `timestamptz(3)`, which the driver returns as a `Date`. */
export const time = Schema.DateTimeUtcFromDate

/** `timestamptz(3)` inside JSON, where it is a string. */
export const jsonTime = Schema.DateTimeUtcFromString

/** Personal data: plain text in the table, redacted once read. */
export const personal = Schema.RedactedFromValue(Schema.String)

/** Makes a column nullable. For null, the decoded object omits the key. */
export const nullable = <T, E>(column: Schema.Codec<T, E>) =>
  Schema.NullOr(Schema.toEncoded(column)).pipe(
    Schema.decodeTo(Schema.optionalKey(column), {
      decode: SchemaGetter.transformOptional((value: Option.Option<E | null>) =>
        Option.filter(value, (present) => present !== null)
      ),
      encode: SchemaGetter.transformOptional(
        (value: Option.Option<E>): Option.Option<E | null> => Option.orElseSome(value, () => null)
      )
    })
  )
