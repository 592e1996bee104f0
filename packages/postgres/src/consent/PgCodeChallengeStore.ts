import type { PgClient } from "@effect/sql-pg/PgClient"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import type { CodeChallenge, CodeDecision } from "@surety/core/consent/admission/decideCode"
import type { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"

const ChallengeRow = Schema.Struct({
  codeHash: Column.nullable(Fingerprint),
  triesLeft: Schema.Int,
  expiresAt: Column.time,
  sends: Schema.Int,
  windowEndsAt: Column.time,
  destination: Column.nullable(Schema.String)
})

const decode = Schema.decodeUnknownEffect(Schema.Array(ChallengeRow))

const challengeOf = ({ codeHash, ...row }: typeof ChallengeRow.Type): CodeChallenge => ({ ...row, codeHash })

export const layer: Layer.Layer<CodeChallengeStore, never, PgClient> = Layer.effect(
  CodeChallengeStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make
    const challenges = name("code_challenge")

    const find = Effect.fnUntraced(function* (link: ConsentTokenHash) {
      const rows = yield* sql`
        select code_hash as "codeHash", tries_left as "triesLeft", expires_at as "expiresAt", sends,
          window_ends_at as "windowEndsAt", destination
        from ${challenges} where link_hash = ${link}`
      return Option.getOrUndefined(Option.map(Arr.head(yield* decode(rows)), challengeOf))
    })

    const save = (
      link: ConsentTokenHash,
      { codeHash, destination, expiresAt, sends, triesLeft, windowEndsAt }: CodeChallenge
    ) => sql`
      insert into ${challenges} (link_hash, code_hash, tries_left, expires_at, sends, window_ends_at, destination)
      values (${link}, ${codeHash ?? null}, ${triesLeft}, ${DateTime.toDate(expiresAt)}, ${sends},
        ${DateTime.toDate(windowEndsAt)}, ${destination ?? null})
      on conflict (link_hash) do update set code_hash = excluded.code_hash, tries_left = excluded.tries_left,
        expires_at = excluded.expires_at, sends = excluded.sends, window_ends_at = excluded.window_ends_at,
        destination = excluded.destination`

    // Changes an entry: a link's challenge, or the count of codes sent to a person. Locks the entry's key, because the
    // entry has no row before the first code.
    const change = <A>(link: ConsentTokenHash, decide: (current: CodeChallenge | undefined) => CodeDecision<A>) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_advisory_xact_lock(hashtextextended(${link}, 0))`
            const { answer, next } = decide(yield* find(link))
            if (next !== undefined) yield* save(link, next)
            return answer
          })
        )
        .pipe(verb("CodeChallengeStore.change"), Effect.withSpan("PgCodeChallengeStore.change"))

    const forget = Effect.fn("PgCodeChallengeStore.forget")(function* (endedBefore: DateTime.Utc, limit: number) {
      const rows = yield* sql`
        with old as materialized (
          select link_hash from ${challenges} where window_ends_at < ${DateTime.toDate(endedBefore)}
          order by window_ends_at limit ${limit} for update skip locked
        )
        delete from ${challenges} c using old where c.link_hash = old.link_hash returning 1`
      return rows.length
    }, verb("CodeChallengeStore.forget"))

    return CodeChallengeStore.of({ change, forget })
  })
)
