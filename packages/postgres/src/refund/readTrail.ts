import type { Environment } from "@surety/core/Environment"
import { type RefundId, toUuid } from "@surety/core/Ids"
import type { RefundTrail } from "@surety/core/refund/RefundStore"
import { Effect, Option } from "effect"
import * as EventRow from "../event/EventRow.js"
import { transfersWhere } from "../ledger/findTransfer.js"
import * as Database from "../sql/Database.js"
import * as RefundRow from "./RefundRow.js"

/** Builds `RefundStore.trail`, which runs at most three queries, each by index. */
export const makeTrail = Effect.gen(function* () {
  const database = yield* Database.make
  const { name, sql, verb } = database

  // A pending refund's event is a platform event, so the merchant's events do not include it.
  const eventsOf = (environment: Environment, id: RefundId) => sql`
    select ${sql.literal(EventRow.columns)} from ${name("refund")} r
    join ${name("event")} v on v.id = r.event_id and v.merchant_id = r.merchant_id and v.environment = r.environment
    where r.id = ${toUuid(id)} and r.environment = ${environment}`

  return Effect.fn("PgRefundStore.trail")(function* (environment: Environment, id: RefundId) {
    const [refund] = yield* Effect.flatMap(
      sql`
        select ${sql.literal(RefundRow.columns)} from ${name("refund")} r join ${name("payment")} p
          on p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment
        where r.id = ${toUuid(id)} and r.environment = ${environment}`,
      RefundRow.decode
    )
    if (refund === undefined) return Option.none()
    const transfers = yield* transfersWhere(database, environment, sql`t.refund_id = ${toUuid(id)}`)
    const events = yield* Effect.flatMap(eventsOf(environment, id), EventRow.decode)
    const trail: RefundTrail = {
      refund,
      transfers,
      events
    }
    return Option.some(trail)
  }, verb("RefundStore.trail"))
})
