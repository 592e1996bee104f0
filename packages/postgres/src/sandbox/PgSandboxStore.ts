import type { PgClient } from "@effect/sql-pg/PgClient"
import { type DataRequestId, type GrantId, type MerchantId, toUuid } from "@surety/core/Ids"
import { type AdvanceOutcome, farthestSeconds, SandboxStore } from "@surety/core/sandbox/SandboxStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

const decodeSettings = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ refundsEnabled: Schema.Boolean, clockSeconds: Schema.Int }))
)

const decodeMoves = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ advanced: Schema.Boolean, clockSeconds: Schema.Int }))
)

/** Encodes the JSON argument of the SQL function `advance_test_clock`. */
const moveText = JsonRow.jsonText(
  Schema.Struct({ merchant_id: JsonRow.uuid, seconds: Schema.Int, farthest: Schema.Int })
)

const settingsColumns = `m.refunds_enabled and m.test_refunds_enabled as "refundsEnabled",
  m.test_clock_seconds as "clockSeconds"`

/** `advanceClock` is one statement. */
export const layer: Layer.Layer<SandboxStore, never, PgClient> = Layer.effect(
  SandboxStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make
    const merchants = name("merchant")
    const columns = sql.literal(settingsColumns)

    const find = Effect.fn("PgSandboxStore.find")(function* (merchantId: MerchantId) {
      const rows = yield* sql`select ${columns} from ${merchants} m where m.id = ${toUuid(merchantId)}`
      return Arr.head(yield* decodeSettings(rows))
    }, verb("SandboxStore.find"))

    const switchRefunds = Effect.fn("PgSandboxStore.switchRefunds")(function* (
      merchantId: MerchantId,
      enabled: boolean
    ) {
      const rows = yield* sql`
        update ${merchants} m set test_refunds_enabled = ${enabled} where m.id = ${toUuid(merchantId)}
        returning ${columns}`
      return Arr.head(yield* decodeSettings(rows))
    }, verb("SandboxStore.switchRefunds"))

    const advanceClock = Effect.fn("PgSandboxStore.advanceClock")(function* (merchantId: MerchantId, seconds: number) {
      const move = moveText({ merchant_id: merchantId, seconds, farthest: farthestSeconds })
      const rows = yield* sql`
        select advanced, clock_seconds as "clockSeconds" from ${name("advance_test_clock")}(${move}::json)`
      return Option.map(
        Arr.head(yield* decodeMoves(rows)),
        ({ advanced, clockSeconds }): AdvanceOutcome => ({ _tag: advanced ? "Advanced" : "TooFar", clockSeconds })
      )
    }, verb("SandboxStore.advanceClock"))

    const lapseRequest = Effect.fn("PgSandboxStore.lapseRequest")(function* (
      merchantId: MerchantId,
      id: DataRequestId,
      at: DateTime.Utc
    ) {
      yield* sql`
        update ${name("data_request")} set expires_at = ${DateTime.toDate(at)}
        where id = ${toUuid(id)} and merchant_id = ${toUuid(merchantId)} and environment = 'TEST'
          and status = 'PENDING' and expires_at > ${DateTime.toDate(at)}`
    }, verb("SandboxStore.lapseRequest"))

    const lapseGrant = Effect.fn("PgSandboxStore.lapseGrant")(function* (
      merchantId: MerchantId,
      id: GrantId,
      at: DateTime.Utc
    ) {
      yield* sql`
        update ${name("consent_grant")} set expires_at = ${DateTime.toDate(at)}
        where id = ${toUuid(id)} and merchant_id = ${toUuid(merchantId)} and environment = 'TEST'
          and status = 'ACTIVE' and expires_at > ${DateTime.toDate(at)}`
    }, verb("SandboxStore.lapseGrant"))

    return SandboxStore.of({ find, switchRefunds, advanceClock, lapseRequest, lapseGrant })
  })
)
