import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Environment } from "@surety/core/Environment"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { ErasurePlan } from "@surety/core/person/decideErasure"
import { Effect, Schema } from "effect"
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
  receipt_id: JsonRow.uuid,
  event_id: JsonRow.uuid,
  body: Schema.String
})

/** An erasure as `erase_person` takes it. */
const PlanInput = Schema.Struct({
  environment: Environment,
  user_id: Schema.String,
  service_id: Schema.String,
  pseudonym: Schema.String,
  erased_at: JsonRow.time,
  code_name: Schema.String,
  actor: Schema.UndefinedOr(ConsentActor),
  ends: Schema.Array(GrantEndInput),
  events: Schema.Array(EventInput),
  cancelled: Schema.Array(Schema.Struct({ id: JsonRow.uuid }))
})

const planText = JsonRow.jsonText(PlanInput)

const inputOf = ({ cancelled, codeName, ends, erasedAt, person, pseudonym }: ErasurePlan): typeof PlanInput.Type => ({
  environment: person.environment,
  user_id: person.userId,
  service_id: person.serviceId,
  pseudonym,
  erased_at: erasedAt,
  code_name: codeName,
  actor: cancelled[0]?.decidedBy,
  events: ends.map(({ event }) => eventInput(event)),
  ends: ends.map(({ event, grant, receipt }) => ({
    id: grant.id,
    merchant_id: grant.merchantId,
    status: grant.status,
    revoked_at: grant.revokedAt,
    revoked_by_kind: grant.revokedBy?.kind,
    revoked_by_name: grant.revokedBy?.name,
    receipt_id: receipt.id,
    event_id: event.id,
    body: receipt.body
  })),
  cancelled: cancelled.map(({ id }) => ({ id }))
})

const decodeErased = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ deliveries: Schema.NullOr(Schema.BigInt) })])
)

/** Erases the person in one statement, if the plan still stands, and wakes the dispatcher. Returns whether it did. */
export const erasePerson = Effect.fnUntraced(function* (
  database: Database,
  signal: DeliverySignal["Service"],
  plan: ErasurePlan
) {
  const { name, sql } = database
  const rows = yield* sql`select ${name("erase_person")}(${planText(inputOf(plan))}::json) as deliveries`
  const [{ deliveries }] = yield* decodeErased(rows)
  if (deliveries === null) return false
  yield* notify(database, signal, deliveries)
  return true
})
