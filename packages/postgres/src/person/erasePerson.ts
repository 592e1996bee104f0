import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Environment } from "@surety/core/Environment"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { ErasurePlan } from "@surety/core/person/decideErasure"
import { Effect, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { sqlStateOf } from "../connection/storeFailure.js"
import { EventInput, eventInput, notify } from "../event/appendEvents.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

const GrantEndInput = Schema.Struct({
  id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  status: Schema.String,
  revoked_at: Schema.UndefinedOr(JsonRow.time),
  revoked_by_kind: Schema.UndefinedOr(Schema.String),
  revoked_by_name: Schema.UndefinedOr(Schema.String),
  event_id: JsonRow.uuid
})

/** The JSON argument of the SQL function `erase_person`. */
const PlanInput = Schema.Struct({
  environment: Environment,
  user_id: Schema.String,
  service_id: Schema.String,
  pseudonym: Schema.String,
  erased_at: JsonRow.time,
  code_name: Schema.String,
  actor: ConsentActor,
  ends: Schema.Array(GrantEndInput),
  events: Schema.Array(EventInput),
  receipts: Schema.Array(Schema.Struct({ id: JsonRow.uuid, merchant_id: JsonRow.uuid, body: Schema.String })),
  expired: Schema.Array(Schema.Struct({ id: JsonRow.uuid, event_id: JsonRow.uuid })),
  cancelled: Schema.Array(Schema.Struct({ id: JsonRow.uuid })),
  verifications: Schema.Array(Schema.Struct({ id: JsonRow.uuid, event_id: JsonRow.uuid }))
})

const planText = JsonRow.jsonText(PlanInput)

const inputOf = ({
  actor,
  cancelled,
  codeName,
  ends,
  erasedAt,
  expired,
  person,
  pseudonym,
  verifications
}: ErasurePlan): typeof PlanInput.Type => ({
  environment: person.environment,
  user_id: person.userId,
  service_id: person.serviceId,
  pseudonym,
  erased_at: erasedAt,
  code_name: codeName,
  actor,
  events: [...ends, ...expired, ...verifications].map(({ event }) => eventInput(event)),
  receipts: [...ends, ...expired].map(({ receipt: { body, id, merchantId } }) => ({
    id,
    merchant_id: merchantId,
    body
  })),
  ends: ends.map(({ event, grant }) => ({
    id: grant.id,
    merchant_id: grant.merchantId,
    status: grant.status,
    revoked_at: grant.revokedAt,
    revoked_by_kind: grant.revokedBy?.kind,
    revoked_by_name: grant.revokedBy?.name,
    event_id: event.id
  })),
  expired: expired.map(({ event, request }) => ({ id: request.id, event_id: event.id })),
  cancelled: cancelled.map(({ id }) => ({ id })),
  verifications: verifications.map(({ event, verification }) => ({ id: verification.id, event_id: event.id }))
})

const decodeErased = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ deliveries: Schema.NullOr(Schema.BigInt) })])
)

/** Returns true if `erase_person` refused because the table owner's daily limit on erasures is reached. */
const isExhausted = (error: SqlError): boolean => sqlStateOf(error) === "54000"

/**
 * Erases the person in one statement if the plan still holds. Wakes the dispatcher if the erasure created deliveries.
 * Returns false if the plan no longer holds, and `exhausted` if the daily limit on erasures is reached.
 */
export const erasePerson = Effect.fnUntraced(function* (
  database: Database,
  signal: DeliverySignal["Service"],
  plan: ErasurePlan
) {
  const { name, sql } = database
  const rows = yield* sql`select ${name("erase_person")}(${planText(inputOf(plan))}::json) as deliveries`.pipe(
    Effect.catchIf(
      (error) => isSqlError(error) && isExhausted(error),
      () => Effect.succeed("exhausted" as const)
    )
  )
  if (rows === "exhausted") return rows
  const [{ deliveries }] = yield* decodeErased(rows)
  if (deliveries === null) return false
  yield* notify(database, signal, deliveries)
  return true
})
