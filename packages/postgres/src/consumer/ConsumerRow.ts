import { type Consumer, KycStatus } from "@surety/core/consumer/Consumer"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const ConsumerRow = Schema.Struct({
  userId: UserId,
  environment: Environment,
  serviceId: Column.consumerId,
  externalId: Column.nullable(Schema.String),
  displayName: Column.nullable(Column.personal),
  country: Column.nullable(Schema.String),
  email: Column.nullable(Column.personal),
  phoneVerified: Schema.Boolean,
  kycStatus: Column.nullable(KycStatus),
  kycTier: Column.nullable(Schema.String),
  askLimits: Schema.Boolean,
  createdAt: Column.time
})

export const consumerColumns = `c.id as "userId", c.environment, c.service_id as "serviceId", c.external_id as "externalId",
  c.display_name as "displayName", c.country, c.email, c.phone_verified as "phoneVerified",
  c.kyc_status as "kycStatus", c.kyc_tier as "kycTier", c.ask_limits as "askLimits", c.created_at as "createdAt"`

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(ConsumerRow))

export const decodeConsumers = (
  rows: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Consumer>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) =>
    decoded.map(({ askLimits, ...consumer }) => (askLimits ? { ...consumer, askLimits } : consumer))
  )
