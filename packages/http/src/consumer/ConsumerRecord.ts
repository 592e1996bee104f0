import type { Consumer } from "@surety/core/consumer/Consumer"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { Redacted, Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

/** A consumer as returned to operators, and to a merchant that creates one in TEST. */
export const ConsumerRecord = Schema.Struct({
  userId: UserId,
  serviceId: ServiceIdRecord,
  environment: Environment,
  externalId: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.String),
  phoneVerified: Schema.Boolean,
  askLimits: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "TEST: data requests to this consumer have the same limits as in LIVE." })
  ),
  createdAt: Timestamp
}).annotate({ identifier: "Consumer" })

export const consumerRecord = ({ displayName, email, ...consumer }: Consumer): typeof ConsumerRecord.Type => ({
  ...consumer,
  ...(displayName === undefined ? {} : { displayName: Redacted.value(displayName) }),
  ...(email === undefined ? {} : { email: Redacted.value(email) })
})
