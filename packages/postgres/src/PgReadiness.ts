import * as PgClient from "@effect/sql-pg/PgClient"
import { NotReady, Readiness } from "@surety/core/Readiness"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { describe } from "./connection/storeFailure.js"
import { readiness } from "./PgMigrations.js"
import { PgSettings } from "./PgSettings.js"

/** Timeout of the whole check, in milliseconds. */
const patienceMillis = 4_000

/** How long a result is reused, so that frequent probes cost the database little. */
const rememberedMillis = 1_000

/** Enough generated rows to overflow the smallest `work_mem` and fill several pages of a temporary file. */
const spilledRows = 20_000

const decodeMode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ readOnly: Schema.Boolean })]))

const notReady = (detail: string): NotReady => new NotReady({ detail })

/**
 * Fails if a transaction cannot write: on a standby, on a read-only primary, or with a full disk. The generated rows go
 * to a temporary file, which needs disk space and leaves nothing behind.
 */
const writes = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [mode] = yield* Effect.flatMap(
    sql`select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`,
    decodeMode
  )
  if (mode.readOnly)
    return yield* notReady("The database is read-only: a standby, or a primary that accepts no writes.")
  yield* sql`set local work_mem = '64kB'`
  yield* sql`select count(*)::int from generate_series(1, ${sql.literal(String(spilledRows))})`
  yield* sql`select pg_current_xact_id()::text`
})

/**
 * Commits a WAL record of a few bytes, without touching a table. Such a commit waits for the flush to disk and for a
 * synchronous standby, as every change does. A single statement, because its wait can be cancelled, unlike that of a
 * `COMMIT`. Calls `onLent` once it has a connection.
 */
const commits = (sql: PgClient.PgClient, onLent: () => void): Effect.Effect<void, SqlError> =>
  Effect.scoped(
    Effect.flatMap(sql.reserve, (connection) => {
      onLent()
      return Effect.asVoid(
        connection.execute("select pg_logical_emit_message(true, 'surety', '')::text", [], undefined)
      )
    })
  )

/** What a check waits for: a free connection, an answer on one, or the end of a commit. */
type Waiting = "connection" | "answer" | "commit"

const lateAnswers = {
  connection: "No database connection became available in time.",
  answer: `The database did not respond within ${patienceMillis} ms.`,
  commit:
    `The database completed no commit within ${patienceMillis} ms. ` +
    "Check its synchronous standbys (pg_stat_replication) and its disk."
} satisfies Record<Waiting, string>

/** What a check over a client may assume. */
interface Sharing {
  /** How long a busy pool counts as ready after the last successful check, in milliseconds. */
  readonly busyMillis: number
  /** Whether the check waits for a commit. Over a host's pool it must not: a host's driver cannot cancel the wait. */
  readonly commits: boolean
}

const failureOf = (error: SqlError | Schema.SchemaError): NotReady =>
  notReady(
    error._tag === "SqlError"
      ? describe("PgReadiness.check", error).message
      : "The database did not say whether it is read-only."
  )

const make = Effect.fnUntraced(function* (sharing: Sharing) {
  const sql = (yield* PgClient.PgClient).withoutTransforms()
  // Read when the layer is built, because a process may have stores in several schemas.
  const settings = yield* PgSettings
  let lastReadyAtMillis = Number.NEGATIVE_INFINITY

  /** Checks readiness. Calls `waitsFor` with what it waits for next. */
  const probe = (waitsFor: (next: Waiting) => void): Effect.Effect<void, NotReady> =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          waitsFor("answer")
          yield* readiness.pipe(
            Effect.provideService(PgSettings, settings),
            Effect.mapError(({ message }) => notReady(message))
          )
          yield* writes(sql)
        })
      )
      .pipe(
        Effect.andThen(
          Effect.suspend(() => {
            if (!sharing.commits) return Effect.void
            waitsFor("connection")
            return commits(sql, () => waitsFor("commit"))
          })
        ),
        Effect.provideService(PgClient.PgClient, sql),
        Effect.catchTags({
          SqlError: (error) => Effect.fail(failureOf(error)),
          SchemaError: (error) => Effect.fail(failureOf(error))
        }),
        Effect.catchDefect(() => Effect.fail(notReady("The connection to the database was lost.")))
      )

  /**
   * Returns the result of a check that timed out. Not ready if it had a connection, since the database did not respond
   * on it. Otherwise the pool is assumed to be busy, which counts as ready for `busyMillis` after the last successful
   * check.
   */
  const whenLate = (waiting: Waiting): Effect.Effect<void, NotReady> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      waiting === "connection" && now - lastReadyAtMillis <= sharing.busyMillis
        ? Effect.void
        : Effect.fail(notReady(lateAnswers[waiting]))
    )

  const checkOnce = Effect.gen(function* () {
    let waiting: Waiting = "connection"
    const fiber = yield* Effect.forkDetach(
      probe((next) => {
        waiting = next
      })
    )
    const inTime = Effect.flatMap(Fiber.join(fiber), () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        lastReadyAtMillis = now
      })
    )
    yield* Effect.timeoutOrElse(inTime, {
      duration: patienceMillis,
      orElse: () => Effect.suspend(() => whenLate(waiting))
    }).pipe(Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe())))
  })

  const shared = yield* Effect.cachedWithTTL(checkOnce, rememberedMillis)
  // Detached, because the first caller may be interrupted while others wait.
  return Readiness.of({ check: Effect.flatMap(Effect.forkDetach(shared), Fiber.join) })
})

/**
 * Provides `Readiness` on a shared client: ready if the database has this release's migrations and accepts writes. A
 * busy pool counts as ready for 30 s after the last successful check. Does not notice that commits hang, as without a
 * synchronous standby.
 */
export const layer: Layer.Layer<Readiness, never, PgClient.PgClient> = Layer.effect(
  Readiness,
  make({ busyMillis: 30_000, commits: false })
)

/**
 * Provides `Readiness` on a separate client, so that the result does not depend on the load of the stores' pool. Ready
 * only if commits end, too: each check makes one, at most one a second.
 *
 * @example
 * PgReadiness.layerOwn.pipe(Layer.provide(PgClient.layer({ url, maxConnections: 1 })))
 */
export const layerOwn: Layer.Layer<Readiness, never, PgClient.PgClient> = Layer.effect(
  Readiness,
  make({ busyMillis: 0, commits: true })
)
