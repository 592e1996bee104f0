import type { PgClient } from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { KeyCanaryStore, type KeyDecision, type KnownKeys } from "@surety/core/secret/KeyCanaryStore"
import { SealedSecret } from "@surety/core/secret/Keyring"
import { DateTime, Effect, Layer, Schema } from "effect"
import * as Database from "../sql/Database.js"

const decodeCanaries = Schema.decodeUnknownEffect(Schema.Array(SealedSecret))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ keyId: Schema.String })))

/** `admit` calls run one at a time, across all processes. */
export const layer: Layer.Layer<KeyCanaryStore, never, PgClient> = Layer.effect(
  KeyCanaryStore,
  Effect.gen(function* () {
    const { name, settings, sql, verb } = yield* Database.make
    const keys = name("secret_key")
    const requests = name("data_request")

    const known = Effect.fnUntraced(function* (now: DateTime.Utc) {
      const canaries = yield* decodeCanaries(
        yield* sql`select key_id as "keyId", canary as bytes from ${keys} where not lost order by key_id`
      )
      // Finds the links' keys with one index lookup per key, instead of reading every link's row.
      const sealed = yield* decodeIds(
        yield* sql`
        with recursive link_key as (
          (select link_key_id as id from ${requests} where link_key_id is not null order by link_key_id limit 1)
          union all
          select (select r.link_key_id from ${requests} r where r.link_key_id > k.id order by r.link_key_id limit 1)
          from link_key k where k.id is not null
        )
        (select id as "keyId" from link_key where id is not null
        union
        select s -> 'sealed' ->> 'keyId' from ${name("webhook_endpoint")} e, jsonb_array_elements(e.secrets) s
        where s ->> 'expiresAt' is null or (s ->> 'expiresAt')::timestamptz > ${DateTime.toDate(now)})
        except select key_id from ${keys} where lost`
      )
      const lost = yield* decodeIds(yield* sql`select key_id as "keyId" from ${keys} where lost order by key_id`)
      const snapshot: KnownKeys = {
        canaries,
        sealedUnder: sealed.map(({ keyId }) => keyId),
        lostIds: lost.map(({ keyId }) => keyId)
      }
      return snapshot
    })

    // Takes an advisory lock, since no row exists to lock before the first key is stored.
    const admit = <A>(now: DateTime.Utc, decide: (known: KnownKeys) => KeyDecision<A>) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_secret_keys ${settings.schema}`}, 0))`
            const { answer, canary } = decide(yield* known(now))
            if (canary !== undefined) {
              yield* sql`insert into ${keys} (key_id, canary) values (${canary.keyId}, ${PgTypes.bytea(canary.bytes)})`
            }
            return answer
          })
        )
        .pipe(verb("KeyCanaryStore.admit"), Effect.withSpan("PgKeyCanaryStore.admit"))

    return KeyCanaryStore.of({ admit })
  })
)
