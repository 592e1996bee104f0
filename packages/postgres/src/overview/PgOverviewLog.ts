import type { PgClient } from "@effect/sql-pg/PgClient"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import { EndpointStatus } from "@surety/core/event/WebhookEndpoint"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { type Attention, type AttentionBounds, type Counted, OverviewLog } from "@surety/core/overview/OverviewLog"
import { DateTime, Effect, Layer, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"
import { makeHours } from "./countHours.js"

const names = [
  "endpointsFailing",
  "endpointsDisabled",
  "refundsPending",
  "verificationsStuck",
  "rightsRequests",
  "rightsRequestsNear",
  "rightsRequestsLate",
  "merchantsInReview",
  "dataRequestsPending",
  "disowned",
  "proposals"
] as const satisfies ReadonlyArray<keyof Attention>

const CountRow = Schema.Struct({
  name: Schema.Literals(names),
  count: Schema.Int,
  since: Column.nullable(Column.time)
})

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(CountRow))

/** Implements `OverviewLog.attention`. Each count reads an index and stops at `countTo`. */
const makeAttention = ({ environmentIs, name, sql, verb }: Database.Database): OverviewLog["Service"]["attention"] => {
  const listed = (environment: Environment, bounds: AttentionBounds): Readonly<Record<keyof Attention, Fragment>> => {
    const now = DateTime.toDate(bounds.now)
    const here = (alias: string) => environmentIs(alias, environment)
    const open = sql`from ${name("rights_request")} q where ${here("q")} and q.status = 'OPEN'`
    const disownedFrom = firstUuidAt(DateTime.toEpochMillis(bounds.disownedSince))
    return {
      endpointsFailing: sql`select e.failing_since as at from ${name("webhook_endpoint")} e
        where ${here("e")} and e.failing_since is not null and e.removed_at is null and e.status = 'ENABLED'
        order by e.failing_since`,
      endpointsDisabled: sql`select coalesce(e.disabled_at, e.updated_at) as at from ${name("webhook_endpoint")} e
        where ${here("e")} and e.status = 'DISABLED' and e.removed_at is null order by e.disabled_at`,
      refundsPending: sql`select r.created_at as at from ${name("refund")} r
        where r.status = 'PENDING' and r.played is distinct from 'pending' and ${here("r")}
          and r.created_at < ${DateTime.toDate(bounds.refundsBefore)} order by r.id`,
      verificationsStuck: sql`select v.created_at as at from ${name("verification")} v
        where v.due_at is not null and ${here("v")}
          and v.created_at < ${DateTime.toDate(bounds.verificationsBefore)} order by v.created_at`,
      rightsRequests: sql`select q.asked_at as at ${open} order by q.asked_at`,
      rightsRequestsNear: sql`select q.due_at as at ${open} and q.due_at > ${now} and q.due_at < ${DateTime.toDate(bounds.dueBefore)}
        order by q.due_at`,
      rightsRequestsLate: sql`select q.due_at as at ${open} and q.due_at <= ${now} order by q.due_at`,
      merchantsInReview: sql`select m.created_at as at from ${name("merchant")} m
        where m.status = 'PENDING_REVIEW' order by m.created_at`,
      // `offset 0` keeps the planner from using the index on expiry. With that index, it would read and sort all
      // unexpired requests.
      dataRequestsPending: sql`select d.created_at as at from (
          select d.created_at, d.expires_at from ${name("data_request")} d
          where ${here("d")} and d.status = 'PENDING' order by d.id offset 0
        ) d where d.expires_at > ${now}`,
      disowned: sql`select d.created_at as at from ${name("data_request")} d
        where d.environment = ${environment} and d.denial_reason = 'NOT_ME' and d.id >= ${disownedFrom}::uuid
          and d.created_at >= ${DateTime.toDate(bounds.disownedSince)} order by d.id`,
      proposals: sql`select p.proposed_at as at from ${name("proposal")} p
        where ${here("p")} and p.status = 'OPEN' and p.ends_at > ${now} order by p.ends_at`
    }
  }

  return Effect.fn("PgOverviewLog.attention")(function* (environment, bounds) {
    const fragments = listed(environment, bounds)
    const counts = names.map(
      (each) => sql`
        select ${sql.literal(`'${each}'`)} as name, count(*)::integer as count, min(l.at) as since
        from (${fragments[each]} limit ${bounds.countTo}) l`
    )
    const rows = yield* counts.reduce((all, each) => sql`${all} union all ${each}`)
    const found = new Map((yield* decodeCounts(rows)).map(({ name: of, ...counted }) => [of, counted]))
    const counted = (of: keyof Attention): Counted => ({
      count: found.get(of)?.count ?? 0,
      since: found.get(of)?.since
    })
    const attention: Attention = {
      endpointsFailing: counted("endpointsFailing"),
      endpointsDisabled: counted("endpointsDisabled"),
      refundsPending: counted("refundsPending"),
      verificationsStuck: counted("verificationsStuck"),
      rightsRequests: counted("rightsRequests"),
      rightsRequestsNear: counted("rightsRequestsNear"),
      rightsRequestsLate: counted("rightsRequestsLate"),
      merchantsInReview: counted("merchantsInReview"),
      dataRequestsPending: counted("dataRequestsPending"),
      disowned: counted("disowned"),
      proposals: counted("proposals")
    }
    return attention
  }, verb("OverviewLog.attention"))
}

const decodeTroubled = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      endpointId: Column.endpointId,
      merchantId: Column.merchantId,
      url: Schema.String,
      status: EndpointStatus,
      since: Column.time
    })
  )
)

/** Implements `OverviewLog.troubledEndpoints`, using the same indexes as `attention`. */
const makeTroubled = ({
  environmentIs,
  name,
  sql,
  verb
}: Database.Database): OverviewLog["Service"]["troubledEndpoints"] =>
  Effect.fn("PgOverviewLog.troubledEndpoints")(function* (environment, limit) {
    const here = sql`${environmentIs("e", environment)} and e.removed_at is null`
    const columns = sql`e.id as "endpointId", e.merchant_id as "merchantId", e.url, e.status`
    const rows = yield* sql`
      select t.* from (
        (select ${columns}, e.failing_since as since from ${name("webhook_endpoint")} e
          where ${here} and e.failing_since is not null and e.status = 'ENABLED' order by e.failing_since limit ${limit})
        union all
        (select ${columns}, coalesce(e.disabled_at, e.updated_at) as since from ${name("webhook_endpoint")} e
          where ${here} and e.status = 'DISABLED' order by e.disabled_at limit ${limit})
      ) t order by t.since, t."endpointId" limit ${limit}`
    return yield* decodeTroubled(rows)
  }, verb("OverviewLog.troubledEndpoints"))

const decodeStuck = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      verificationId: Column.verificationId,
      merchantId: Column.merchantId,
      serviceId: ConsumerId,
      kind: VerificationKind,
      provider: Column.nullable(Schema.String),
      createdAt: Column.time
    })
  )
)

/** Implements `OverviewLog.stuckVerifications`, using the index of open verifications. */
const makeStuck = ({
  environmentIs,
  name,
  sql,
  verb
}: Database.Database): OverviewLog["Service"]["stuckVerifications"] =>
  Effect.fn("PgOverviewLog.stuckVerifications")(function* (environment, before, limit) {
    const rows = yield* sql`
      select v.id as "verificationId", v.merchant_id as "merchantId", v.service_id as "serviceId", v.kind, v.provider,
        v.created_at as "createdAt"
      from ${name("verification")} v
      where v.due_at is not null and ${environmentIs("v", environment)} and v.created_at < ${DateTime.toDate(before)}
      order by v.created_at, v.id limit ${limit}`
    return yield* decodeStuck(rows)
  }, verb("OverviewLog.stuckVerifications"))

/** The counts of `attention` stop at `countTo`. Hourly counts are stored. */
export const layer: Layer.Layer<OverviewLog, never, PgClient> = Layer.effect(
  OverviewLog,
  Effect.map(Database.make, (database) =>
    OverviewLog.of({
      attention: makeAttention(database),
      troubledEndpoints: makeTroubled(database),
      stuckVerifications: makeStuck(database),
      ...makeHours(database)
    })
  )
)
