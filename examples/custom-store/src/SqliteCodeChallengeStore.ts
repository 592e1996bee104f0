import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import type { CodeChallenge } from "@surety/core/consent/admission/decideCode"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Database } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

const challenges = storedRecord<CodeChallenge>(
  Schema.Struct({
    codeHash: Schema.UndefinedOr(Fingerprint),
    triesLeft: Schema.Int,
    expiresAt: Schema.DateTimeUtc,
    sends: Schema.Int,
    windowEndsAt: Schema.DateTimeUtc,
    destination: Schema.optionalKey(Schema.String)
  })
)

export const make = ({ write }: Database["Service"]): CodeChallengeStore["Service"] =>
  CodeChallengeStore.of({
    change: (link, decide) =>
      write("CodeChallengeStore.change", (sql) => {
        const current = challenges.of(sql.get`select record from code_challenge where link_hash = ${link}`)
        const { answer, next } = decide(current)
        if (next !== undefined) {
          sql.run`
            insert into code_challenge (link_hash, record) values (${link}, ${challenges.text(next)})
            on conflict (link_hash) do update set record = excluded.record`
        }
        return answer
      }),

    forget: (endedBefore, limit) =>
      write("CodeChallengeStore.forget", (sql) => {
        const { changes } = sql.run`
          delete from code_challenge where link_hash in (
            select link_hash from code_challenge where window_ends_at < ${DateTime.formatIso(endedBefore)}
            limit ${limit}
          )`
        return Number(changes)
      })
  })

export const layer: Layer.Layer<CodeChallengeStore, never, Database> = Layer.effect(
  CodeChallengeStore,
  Effect.map(Database, make)
)
