import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { type RightsRequest, RightsRequestKind, RightsRequestStatus } from "@surety/core/person/RightsRequest"
import { type Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const RightsRequestRow = Schema.Struct({
  id: Column.rightsRequestId,
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  kind: RightsRequestKind,
  note: Column.nullable(Column.personal),
  status: RightsRequestStatus,
  askedAt: Column.time,
  dueAt: Column.time,
  closedAt: Column.nullable(Column.time),
  closedBy: Column.nullable(Schema.String)
})

export const columns = `q.id, q.environment, q.user_id as "userId", q.service_id as "serviceId", q.kind, q.note,
  q.status, q.asked_at as "askedAt", q.due_at as "dueAt", q.closed_at as "closedAt", q.closed_by as "closedBy"`

export const decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<RightsRequest>, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Schema.Array(RightsRequestRow))
