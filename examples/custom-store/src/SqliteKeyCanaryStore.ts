import { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import { SealedSecret } from "@surety/core/secret/Keyring"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Database } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

const canaries = storedRecord<SealedSecret>(SealedSecret)
const idsOf = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key_id: Schema.String })))

export const make = ({ write }: Database["Service"]): KeyCanaryStore["Service"] =>
  KeyCanaryStore.of({
    admit: (now, decide) =>
      write("KeyCanaryStore.admit", (sql) => {
        const sealed = idsOf(sql.all`
          select secret.value ->> '$.sealed.keyId' as key_id
          from webhook_endpoint, json_each(webhook_endpoint.record, '$.secrets') as secret
          where coalesce(secret.value ->> '$.expiresAt', '9') > ${DateTime.formatIso(now)}
          union
          select record ->> '$.link.sealedUrl.keyId' from data_request
          where record ->> '$.link.sealedUrl.keyId' is not null`)
        const { answer, canary } = decide({
          canaries: canaries.all(sql.all`select record from secret_key order by key_id`),
          sealedUnder: sealed.map(({ key_id }) => key_id)
        })
        if (canary !== undefined) sql.run`insert into secret_key (record) values (${canaries.text(canary)})`
        return answer
      })
  })

export const layer: Layer.Layer<KeyCanaryStore, never, Database> = Layer.effect(
  KeyCanaryStore,
  Effect.map(Database, make)
)
