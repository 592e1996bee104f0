import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { type FeedEvent, FeedTopic, type LeasedStream, PlatformFeed } from "@surety/core/event/PlatformFeed"
import { MerchantId, toUuid } from "@surety/core/Ids"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { eachSound } from "../sql/soundRows.js"
import { nilUuid } from "./appendEventsFunction.js"

/** Encodes the argument of `claim_platform_events`. */
const claimText = JsonRow.jsonText(
  Schema.Struct({
    claimed_at: JsonRow.time,
    lease_until: JsonRow.time,
    max_streams: Schema.Int,
    max_per_stream: Schema.Int
  })
)

/** A row returned by `claim_platform_events`: an event with its stream's lease. */
const ClaimedRow = Schema.Struct({
  stream: Schema.String,
  failures: Schema.Int,
  fence: Schema.Int,
  event_id: Column.eventId,
  environment: Environment,
  topic: FeedTopic,
  body: Schema.String,
  occurred_at: Column.time,
  sequence: Schema.String
})

const decodeClaimed = eachSound(ClaimedRow, { operation: "PlatformFeed.claim", id: "event_id" })
const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ stream: Schema.String })))

const decodeStats = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      isOn: Schema.Boolean,
      backlog: Schema.Int,
      oldestAt: Column.nullable(Column.time),
      failing: Schema.Int,
      healthy: Schema.Int
    })
  ])
)

const streamOf = (merchantId: MerchantId | undefined): string =>
  merchantId === undefined ? nilUuid : toUuid(merchantId)

const merchantOf = (stream: string): MerchantId | undefined =>
  stream === nilUuid ? undefined : MerchantId.fromUuid(stream)

const eventOf = (row: typeof ClaimedRow.Type): FeedEvent => ({
  id: row.event_id,
  merchantId: merchantOf(row.stream),
  environment: row.environment,
  topic: row.topic,
  body: row.body,
  occurredAt: row.occurred_at,
  sequence: row.sequence
})

/**
 * Builds the streams of claimed rows. A stream ends before its first damaged event, since its events are sent in order.
 * It is left out if that is its first event.
 */
const streamsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
  const places = yield* decodePlaces(rows)
  const found = Arr.zip(places, yield* decodeClaimed(rows))
  return Object.values(Arr.groupBy(found, ([{ stream }]) => stream)).flatMap((ofOne): ReadonlyArray<LeasedStream> => {
    const sound = Arr.getSomes(Arr.takeWhile(ofOne, ([, event]) => Option.isSome(event)).map(([, event]) => event))
    if (!Arr.isReadonlyArrayNonEmpty(sound)) return []
    const [{ failures, fence, stream }] = sound
    return [{ merchantId: merchantOf(stream), failures, fence, events: Arr.map(sound, eventOf) }]
  })
})

export const layer: Layer.Layer<PlatformFeed, never, PgClient> = Layer.effect(
  PlatformFeed,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make
    const feed = name("platform_feed")
    const outbox = name("platform_outbox")
    const streams = name("platform_stream")

    const begin = sql`insert into ${feed} default values on conflict (one) do nothing returning 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      verb("PlatformFeed.begin"),
      Effect.withSpan("PgPlatformFeed.begin")
    )

    // Ends the feed and its leases, deletes its events, and clears the streams' failures and retry times. Locks the
    // streams before the outbox, in the same order as `settle`, so that the two do not deadlock. A transaction that
    // found the feed active may still add events afterwards. Those events can be claimed and sent, unless the next
    // `end` deletes them first.
    const end = sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql`
            update ${streams} set failures = 0, retry_at = null, leased_until = null
            where failures > 0 or retry_at is not null or leased_until is not null`
          yield* sql`delete from ${outbox}`
          return (yield* sql`delete from ${feed} returning 1`).length > 0
        })
      )
      .pipe(verb("PlatformFeed.end"), Effect.withSpan("PgPlatformFeed.end"))

    const claim: PlatformFeed["Service"]["claim"] = Effect.fn("PgPlatformFeed.claim")(function* (claim) {
      const rows = yield* sql`
        select * from ${name("claim_platform_events")}(${claimText({
          claimed_at: claim.now,
          lease_until: claim.leasedUntil,
          max_streams: claim.limit,
          max_per_stream: claim.perStream
        })}::json)`
      return yield* streamsOf(rows)
    }, verb("PlatformFeed.claim"))

    const settle: PlatformFeed["Service"]["settle"] = Effect.fn("PgPlatformFeed.settle")(function* (leased, progress) {
      const { retryAt, sentThrough } = progress
      const stream = streamOf(leased.merchantId)
      const retry = retryAt === undefined ? null : DateTime.toDate(retryAt)
      const before = sentThrough === undefined ? sql`s.failures` : sql`0`
      const sent =
        sentThrough === undefined
          ? sql``
          : sql`,
        sent as (
          delete from ${outbox} p using held
          where p.stream = ${stream} and (p.epoch, p.committed_by, p.event_id) <= (
            ('x' || substr(${sentThrough.sequence}::text, 1, 8))::bit(32)::integer,
            ('x' || substr(${sentThrough.sequence}::text, 9, 16))::bit(64)::bigint::text::xid8,
            substr(${sentThrough.sequence}::text, 25)::uuid
          )
        )`
      const rows = yield* sql`
        with held as (
          update ${streams} s
          set leased_until = null, retry_at = ${retry}::timestamptz,
            failures = ${before} + case when ${retry}::timestamptz is null then 0 else 1 end
          where s.stream = ${stream} and s.fence = ${leased.fence} and s.leased_until is not null
          returning 1
        )${sent}
        select 1 from held`
      return rows.length > 0
    }, verb("PlatformFeed.settle"))

    const stats: PlatformFeed["Service"]["stats"] = Effect.fn("PgPlatformFeed.stats")(function* (_now, countLimit) {
      const rows = yield* sql`
        with recursive waiting as (
          (select p.stream from ${outbox} p order by p.stream limit 1)
          union all
          select (select p.stream from ${outbox} p where p.stream > w.stream order by p.stream limit 1)
          from waiting w where w.stream is not null
        )
        select exists (select from ${feed}) as "isOn",
          (select count(*)::integer from (select 1 from ${outbox} limit ${countLimit}) counted) as backlog,
          (
            select min(next.occurred_at) from waiting w
            cross join lateral (
              select p.occurred_at from ${outbox} p where p.stream = w.stream
              order by p.epoch, p.committed_by, p.event_id limit 1
            ) next
          ) as "oldestAt",
          c.failing, c.healthy
        from (
          select count(*) filter (where s.failures > 0)::integer as failing,
            count(*) filter (where coalesce(s.failures, 0) = 0)::integer as healthy
          from waiting w left join ${streams} s on s.stream = w.stream where w.stream is not null
        ) c`
      const [{ backlog, failing, healthy, isOn, oldestAt }] = yield* decodeStats(rows)
      return { isOn, backlog, failing, healthy, oldestAt }
    }, verb("PlatformFeed.stats"))

    return PlatformFeed.of({ begin, end, claim, settle, stats })
  })
)
