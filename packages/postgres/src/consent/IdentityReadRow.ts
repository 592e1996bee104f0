import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { LastRead } from "@surety/core/consent/read/LastRead"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const IdentityReadRow = Schema.Struct({
  id: Column.identityReadId,
  merchantId: Column.merchantId,
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  fields: Schema.Array(IdentityField),
  apiKeyId: Column.nullable(Column.apiKeyId),
  readAt: Column.time
})

export const columns = `i.id, i.merchant_id as "merchantId", i.environment, i.user_id as "userId",
  i.service_id as "serviceId", i.fields, i.api_key_id as "apiKeyId", i.read_at as "readAt"`

const decodeLastRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...IdentityReadRow.fields, grantId: Column.grantId }))
)

export const decodeLast = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<LastRead>, Schema.SchemaError> =>
  Effect.map(decodeLastRows(rows), (decoded) => decoded.map(({ grantId, ...read }) => ({ grantId, read })))

export const decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<IdentityRead>, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Schema.Array(IdentityReadRow))
