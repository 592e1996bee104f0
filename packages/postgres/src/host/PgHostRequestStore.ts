import type { PgClient } from "@effect/sql-pg/PgClient"
import {
  type HostRequest,
  HostRequestError,
  HostRequestKey,
  HostRequestKeyReused,
  type HostRequestOutcome,
  HostRequestResult,
  HostRequestStatus,
  hostRequestText,
  type LeasedHostRequest,
  type NewHostRequest
} from "@surety/core/host/HostRequest"
import { requirePayload } from "@surety/core/host/HostRequestPayload"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Predicate, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { soundRows } from "../sql/soundRows.js"

const RequestRow = Schema.Struct({
  key: HostRequestKey,
  kind: Schema.String,
  queue: Schema.NullOr(Schema.String),
  status: HostRequestStatus,
  attempts: Schema.Int,
  createdAt: Column.time,
  endedAt: Schema.NullOr(Column.time),
  result: Schema.NullOr(HostRequestResult),
  error: Schema.NullOr(HostRequestError)
})

const requestColumns = `r.key, r.kind, r.queue, r.status, r.attempts, r.created_at as "createdAt",
  r.ended_at as "endedAt", r.result, r.error`

const LeasedRow = Schema.Struct({
  key: HostRequestKey,
  kind: Schema.String,
  payload: Schema.Unknown,
  createdAt: Column.time,
  attempts: Schema.Int,
  result: Schema.NullOr(HostRequestResult),
  fence: Schema.Int
})

const leasedColumns = `r.key, r.kind, r.payload, r.created_at as "createdAt", r.attempts, r.result, r.fence`

const decodeRequests = Schema.decodeUnknownEffect(Schema.Array(RequestRow))
const decodeLeased = soundRows(LeasedRow, { operation: "HostRequestStore.claim", id: "key" })
const decodeStats = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ pending: Schema.Int, oldestAt: Schema.NullOr(Column.time) })])
)

const resultText = Schema.encodeSync(Schema.fromJsonString(HostRequestResult))
const errorText = Schema.encodeSync(Schema.fromJsonString(HostRequestError))

const requestOf = ({ endedAt, error, queue, result, ...row }: typeof RequestRow.Type): HostRequest => ({
  ...row,
  queue: queue ?? undefined,
  endedAt: endedAt ?? undefined,
  result: result ?? undefined,
  error: error ?? undefined
})

/**
 * True if the error means that a key is in use. The trigger raises it, and so does the unique constraint when two
 * inserts race.
 */
const isKeyReused = (error: unknown): boolean => isSqlError(error) && error.reason._tag === "UniqueViolation"

/** Wraps an error of the `work` that `settle` runs, to distinguish it from an `SqlError` of the transaction. */
interface Refused<E> {
  readonly _tag: "Refused"
  readonly error: E
}

const isRefused = <E>(error: Refused<E> | SqlError): error is Refused<E> =>
  Predicate.hasProperty(error, "_tag") && error._tag === "Refused"

/** Time limit for `settle`, as a multiple of a store operation's timeout. Its `work` may call several operations. */
const verbsOfARequest = 6

/** Backed by the table that hosts insert into. */
export const layer: Layer.Layer<HostRequestStore, never, PgClient> = Layer.effect(
  HostRequestStore,
  Effect.gen(function* () {
    const { name, settings, sql, verb } = yield* Database.make
    const requests = name("requests")
    const consumers = name("consumer")

    const read = (key: HostRequestKey) =>
      Effect.map(
        Effect.flatMap(
          sql`select ${sql.literal(requestColumns)} from ${requests} r where r.key = ${key}`,
          decodeRequests
        ),
        (rows) => Option.map(Arr.head(rows), requestOf)
      )

    /**
     * Inserts a request. In a host's transaction it uses a savepoint, so a key in use does not abort that transaction.
     */
    const insert = ({ key, kind, payload, queue }: NewHostRequest) =>
      sql.withTransaction(sql`
        insert into ${requests} (key, kind, payload, queue)
        values (${key}, ${kind}, ${hostRequestText(payload)}::jsonb, ${queue ?? null}::text)`)

    const enqueue: HostRequestStore["Service"]["enqueue"] = (request) =>
      Effect.flatten(
        Effect.gen(function* () {
          // If two inserts race, the second violates the constraint. A retry finds the row of the first.
          yield* Effect.retry(insert(request), { while: isKeyReused, times: 1 })
          return Effect.succeed(Option.getOrThrow(yield* read(request.key)))
        }).pipe(
          Effect.catchIf(isKeyReused, () =>
            Effect.succeed(Effect.fail(new HostRequestKeyReused({ key: request.key })))
          ),
          verb("HostRequestStore.enqueue")
        )
      ).pipe(
        (queued) => Effect.andThen(requirePayload(request.payload), queued),
        Effect.withSpan("PgHostRequestStore.enqueue")
      )

    const isFirst = sql`
      (o.queue is null or not exists (
        select 1 from ${requests} e where e.status = 'PENDING' and e.queue = o.queue and e.id < o.id
      ))`

    const find = Effect.fn("PgHostRequestStore.find")(read, verb("HostRequestStore.find"))

    const claim: HostRequestStore["Service"]["claim"] = Effect.fn("PgHostRequestStore.claim")(function* ({
      leasedUntil,
      limit,
      now
    }) {
      const at = DateTime.toDate(now)
      const rows = yield* sql`
        with abandoned as materialized (
          select o.key, o.due_at from ${requests} o
          where o.status = 'PENDING' and o.due_at <= ${at} and o.leased_until <= ${at} and ${isFirst}
          order by o.due_at, o.id limit 1
          for no key update skip locked
        ),
        fresh as materialized (
          select o.key, o.due_at from ${requests} o
          where o.status = 'PENDING' and o.due_at <= ${at} and o.leased_until is null and ${isFirst}
          order by o.due_at, o.id limit (select case when count(*) = 0 then ${limit}::integer else 0 end from abandoned)
          for no key update skip locked
        ),
        chosen as (select * from abandoned union all select * from fresh),
        taken as (
          update ${requests} r
          set leased_until = ${DateTime.toDate(leasedUntil)}, fence = r.fence + 1, attempts = r.attempts + 1
          from chosen where r.key = chosen.key
          returning r.*, chosen.due_at as place
        )
        select ${sql.literal(leasedColumns)} from taken r order by r.place, r.id`
      return (yield* decodeLeased(rows)).map(
        ({ result, ...row }): LeasedHostRequest => ({ ...row, result: result ?? undefined })
      )
    }, verb("HostRequestStore.claim"))

    const store = ({ fence, key }: LeasedHostRequest, now: DateTime.Utc, outcome: HostRequestOutcome) => {
      // Ends a request. Its person may have been erased in the meantime, and an ended request must not reference a
      // missing person.
      const ending = (status: "DONE" | "FAILED", result: string | null, error: string | null) => sql`
        update ${requests} r
        set status = ${status}, ended_at = ${DateTime.toDate(now)}, payload = null, leased_until = null,
          person = (
            select c.id from ${consumers} c where c.environment = r.environment and c.id = r.person
          ),
          result = coalesce(${result}::jsonb, r.result), error = ${error}::jsonb
        where r.key = ${key} and r.fence = ${fence}`
      switch (outcome._tag) {
        case "Done":
          return ending("DONE", resultText(outcome.result), null)
        case "Failed":
          return ending("FAILED", null, errorText(outcome.error))
        case "Begun":
          return sql`
            update ${requests} r set result = ${resultText(outcome.result)}::jsonb
            where r.key = ${key} and r.fence = ${fence}`
        case "Again":
          return sql`
            update ${requests} r
            set due_at = ${DateTime.toDate(outcome.at)}, leased_until = null,
              error = ${outcome.error === undefined ? null : errorText(outcome.error)}::jsonb
              ${outcome.counts ? sql`` : sql`, attempts = 0`}
            where r.key = ${key} and r.fence = ${fence}`
      }
    }

    const settle: HostRequestStore["Service"]["settle"] = <E, R>(
      leased: LeasedHostRequest,
      now: DateTime.Utc,
      work: Effect.Effect<HostRequestOutcome, E, R>
    ) => {
      const refused = (error: E): Refused<E> => ({ _tag: "Refused", error })
      const whole = sql.withTransaction(
        Effect.gen(function* () {
          // Locks the row until the commit, so no other worker can lease the request. If another worker has already
          // leased it, the fence is outdated and no row is found.
          const held = yield* sql`
            select 1 from ${requests} r
            where r.key = ${leased.key} and r.fence = ${leased.fence} and r.status = 'PENDING' for no key update`
          if (held.length === 0) return Option.none<HostRequestOutcome>()
          const outcome = yield* Effect.mapError(work, refused)
          yield* store(leased, now, outcome)
          return Option.some(outcome)
        })
      )
      const told = Effect.matchEffect(whole, {
        onSuccess: (outcome) => Effect.succeed(Effect.succeed(outcome)),
        onFailure: (error) => (isRefused(error) ? Effect.succeed(Effect.fail(error.error)) : Effect.fail(error))
      })
      const limit = settings.operationTimeoutMillis * verbsOfARequest
      return Effect.flatten(verb("HostRequestStore.settle", limit)(told)).pipe(
        Effect.withSpan("PgHostRequestStore.settle")
      )
    }

    const stats = Effect.fn("PgHostRequestStore.stats")(function* (countLimit: number) {
      const rows = yield* sql`
        select
          (
            select count(*)::integer from (
              select 1 from ${requests} r where r.status = 'PENDING' limit ${countLimit}
            ) counted
          ) as pending,
          (select min(r.created_at) from ${requests} r where r.status = 'PENDING') as "oldestAt"`
      const [{ oldestAt, pending }] = yield* decodeStats(rows)
      return { pending, oldestAt: oldestAt ?? undefined }
    }, verb("HostRequestStore.stats"))

    const forget = Effect.fn("PgHostRequestStore.forget")(function* (before: DateTime.Utc, limit: number) {
      const rows = yield* sql`
        delete from ${requests} r
        where r.key in (
          select o.key from ${requests} o where o.ended_at < ${DateTime.toDate(before)}
          order by o.ended_at limit ${limit} for update skip locked
        )
        returning 1`
      return rows.length
    }, verb("HostRequestStore.forget"))

    return HostRequestStore.of({ enqueue, find, claim, settle, stats, forget })
  })
)
