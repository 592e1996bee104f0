import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Database } from "./Database.ts"

const Challenge = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Struct({
      codeHash: Schema.UndefinedOr(Fingerprint),
      triesLeft: Schema.Int,
      expiresAt: Schema.DateTimeUtc,
      sends: Schema.Int,
      windowEndsAt: Schema.DateTimeUtc,
      destination: Schema.optionalKey(Schema.String)
    })
  )
)
const encode = Schema.encodeSync(Challenge)
const decode = Schema.decodeUnknownSync(Challenge)

/**
 * Stores the state of one-time codes. Surety's `decide` is pure, so it can run inside the transaction. A store that
 * retries its transactions may call `decide` again.
 */
export const layer: Layer.Layer<CodeChallengeStore, never, Database> = Layer.effect(
  CodeChallengeStore,
  Effect.map(Database, ({ write }) =>
    CodeChallengeStore.of({
      change: (link, decide) =>
        write("CodeChallengeStore.change", (sql) => {
          const row = sql.get`select record from code_challenge where link_hash = ${link}`
          const { answer, next } = decide(row && decode(row.record))
          if (next !== undefined) {
            sql.run`
              insert into code_challenge (link_hash, record) values (${link}, ${encode(next)})
              on conflict (link_hash) do update set record = excluded.record`
          }
          return answer
        }),

      forget: (endedBefore, limit) =>
        write("CodeChallengeStore.forget", (sql) => {
          const { changes } = sql.run`
            delete from code_challenge where link_hash in (
              select link_hash from code_challenge where window_ends_at < ${DateTime.formatIso(endedBefore)}
              order by window_ends_at limit ${limit}
            )`
          return Number(changes)
        })
    })
  )
)
