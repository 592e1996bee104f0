import { PaymentId, RefundId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, InnerError } from "../sql/Database.js"
import { type AuditCheck, idText } from "./AuditCheck.js"
import { paymentTransfersOf } from "./paymentChecks.js"

const decodeEvents = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, topic: Schema.String, body: Schema.String }))
)

/** The ids in the body of a refund or payment event. Only a refund event has a `refundId`. */
const Named = Schema.fromJsonString(
  Schema.Struct({ refundId: Schema.optionalKey(RefundId), transactionId: Schema.optionalKey(PaymentId) })
)

const decodeNamed = Schema.decodeOption(Named)

const causesText = Schema.encodeSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        id: Schema.String,
        topic: Schema.String,
        refund: Schema.NullOr(Schema.String),
        payment: Schema.NullOr(Schema.String)
      })
    )
  )
)

/**
 * Builds the checks that each refund or payment event in `events` is referenced by its refund or payment, and that the
 * payments have their transfers. No index of refunds or payments contains their events, so the record is found by the
 * id in the body. An event with an unreadable body counts as having no record.
 */
export const moneyEventChecks = (
  database: Database,
  { environment, merchantId }: MerchantScope,
  events: Fragment
): Effect.Effect<ReadonlyArray<AuditCheck>, InnerError> =>
  Effect.gen(function* () {
    const { name, sql } = database
    const rows = yield* Effect.flatMap(
      sql`
        select v.id::text as id, v.topic, v.body from ${events} v
        where v.topic in ('refund.completed', 'refund.failed', 'transaction.settled')`,
      decodeEvents
    )
    const given = causesText(
      rows.map(({ body, id, topic }) => {
        const { refundId, transactionId } = Option.getOrElse(decodeNamed(body), (): typeof Named.Type => ({}))
        return { id, topic, refund: refundId === undefined ? null : toUuid(refundId), payment: transactionId ?? null }
      })
    )
    const merchant = toUuid(merchantId)
    const named = sql`json_to_recordset(${given}::json) v (id uuid, topic text, refund uuid, payment text)`
    const causeless: AuditCheck = {
      check: "events_have_causes",
      subjectOf: idText("event"),
      query: sql`
        select array[v.id::text] as subject, v.topic || ' without its cause' as detail
        from ${named}
        where not exists (
          select from ${name("refund")} r
          where r.merchant_id = ${merchant}::uuid and r.environment = ${environment} and r.id = v.refund
            and r.event_id = v.id and v.topic = 'refund.' || lower(r.status) and r.status in ('COMPLETED', 'FAILED')
        ) and not exists (
          select from ${name("payment")} p
          where p.id = v.payment and p.merchant_id = ${merchant}::uuid and p.environment = ${environment}
            and p.event_id = v.id and v.topic = 'transaction.settled' and p.status = 'SETTLED'
        )
        order by v.id`
    }
    const payments = sql`(
      select p.* from ${named}
      join ${name("payment")} p
        on p.id = v.payment and p.merchant_id = ${merchant}::uuid and p.environment = ${environment}
      where v.topic = 'transaction.settled'
    )`
    return [causeless, paymentTransfersOf(database, payments)]
  })
