import { toUuid } from "@surety/core/Ids"
import type { PageRequest } from "@surety/core/Page"
import type { Refund } from "@surety/core/refund/Refund"
import type { RefundFilter, RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect, Schema } from "effect"
import type * as Statement from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, firstUuidAt, pageOfRows } from "../sql/listCursor.js"
import * as RefundRow from "./RefundRow.js"

const cursors = cursorCodec(Schema.Tuple([Column.refundId]))

/**
 * Assumed maximum gap between the time in a refund's id and its creation time. The two are separate readings of one
 * clock.
 */
const slackMillis = 60_000

const unfiltered = {
  status: undefined,
  paymentId: undefined,
  reference: undefined,
  since: undefined,
  until: undefined
} satisfies Partial<RefundFilter>

/**
 * Builds `RefundStore.list` and `RefundStore.listAll`. Ids sort by time, so one order serves every filter, and filters
 * on time need no index of their own.
 */
export const makeRefundLists = Effect.gen(function* () {
  const { environmentIs, name, settings, sql, verb } = yield* Database.make

  /** A literal rather than a parameter, so that a rare status can use its partial index. */
  const statusIs = (status: Refund["status"]) => sql.literal(`r.status = '${status}'`)

  const within = ({ since, until }: RefundFilter) => [
    ...(since === undefined
      ? []
      : [
          sql`r.created_at >= ${DateTime.toDate(since)}`,
          sql`r.id >= ${firstUuidAt(DateTime.toEpochMillis(since) - slackMillis)}::uuid`
        ]),
    ...(until === undefined
      ? []
      : [
          sql`r.created_at < ${DateTime.toDate(until)}`,
          sql`r.id < ${firstUuidAt(DateTime.toEpochMillis(until) + slackMillis)}::uuid`
        ])
  ]

  const conditions = (filter: RefundFilter) =>
    sql.and([
      environmentIs("r", filter.environment),
      ...(filter.merchantId === undefined ? [] : [sql`r.merchant_id = ${toUuid(filter.merchantId)}`]),
      ...(filter.status === undefined ? [] : [statusIs(filter.status)]),
      ...within(filter)
    ])

  const ofPayment = sql`p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment`

  const hashOf = (row: string, paymentId: string) =>
    sql.literal(RefundRow.merchantKeyHash(`"${settings.schema}"`, row, paymentId))

  /**
   * Builds SQL for the newest matching refunds of a payment `p`. The condition on the hash is a range, which keeps the
   * hash in the sort order. Only the index of a payment's refunds provides that order. With an equality condition, the
   * planner may scan the newest refunds of all payments instead.
   *
   * Conditions must not match another index, or the planner may combine both indexes and scan all the merchant's
   * refunds. So only the hash compares merchant and environment, and `coalesce` hides the status.
   */
  const newestOfPayment = (filter: RefundFilter, after: Statement.Fragment, limit: number) => {
    const where = sql.and([
      sql`${hashOf("r", "payment_id")} between ${hashOf("p", "id")} and ${hashOf("p", "id")}`,
      ...(filter.status === undefined ? [] : [sql`coalesce(r.status, '') = ${filter.status}`]),
      ...within(filter)
    ])
    return sql`
      select r.* from ${name("refund")} r where ${where} ${after}
      order by ${hashOf("r", "payment_id")} desc, r.id desc limit ${limit}`
  }

  /**
   * Builds SQL for the matching refunds. With a payment's id or reference, it finds the few matching payments, then the
   * newest refunds of each. A payment's id is unique only within its merchant.
   */
  const matching = (filter: RefundFilter, after: Statement.Fragment, limit: number) =>
    filter.reference === undefined && filter.paymentId === undefined
      ? sql`${name("refund")} r join ${name("payment")} p on ${ofPayment} where ${conditions(filter)} ${after}`
      : sql`${name("payment")} p cross join lateral (${newestOfPayment(filter, after, limit)}) r
        where ${sql.and([
          ofPayment,
          sql`p.environment = ${filter.environment}`,
          ...(filter.merchantId === undefined ? [] : [sql`p.merchant_id = ${toUuid(filter.merchantId)}`]),
          ...(filter.paymentId === undefined ? [] : [sql`p.id = ${filter.paymentId}`]),
          ...(filter.reference === undefined ? [] : [sql`p.reference = ${filter.reference}`])
        ])}`

  const page = (filter: RefundFilter, request: PageRequest) =>
    pageOfRows(
      request,
      cursors,
      ({ id }: Refund) => [id] as const,
      (after, limit) =>
        Effect.flatMap(
          sql`
            select ${sql.literal(RefundRow.columns)}
            from ${matching(filter, after === undefined ? sql`` : sql`and r.id < ${toUuid(after[0])}`, limit)}
            order by r.id desc limit ${limit}`,
          RefundRow.decode
        )
    )

  const list: RefundStore["Service"]["list"] = Effect.fn("PgRefundStore.list")(
    ({ environment, merchantId }, { paymentId }, request) =>
      page({ ...unfiltered, environment, merchantId, paymentId }, request),
    verb("RefundStore.list")
  )
  const listAll: RefundStore["Service"]["listAll"] = Effect.fn("PgRefundStore.listAll")(
    page,
    verb("RefundStore.listAll")
  )
  return { list, listAll }
})
