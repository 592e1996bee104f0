import { NodeCrypto } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as EndpointEvents from "@surety/core/event/EndpointEvents"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as WebhookEndpoints from "@surety/core/event/WebhookEndpoints"
import { toUuid } from "@surety/core/Ids"
import * as Keyring from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted } from "effect"
import { archiveBefore, day, directory, inStore, seed, timeoutMillis } from "./ArchiveStore.js"

const services = EndpointEvents.layer.pipe(
  Layer.provideMerge(WebhookEndpoints.layer),
  Layer.provide([TargetPolicy.layerDevelopment, Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])]),
  Layer.provide(NodeCrypto.layer)
)

it.live(
  "an endpoint stays disabled if any month since then is archived, until it is enabled from a later time",
  () =>
    inStore(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { endpointId, idsOf, merchantId } = yield* seed(["2025-01", "2025-02", "2025-03", "2025-04"], 3)
        const awaited = toUuid(idsOf("2025-01")[1] ?? assert.fail("there are events"))
        yield* sql`
          update surety.delivery set status = 'PENDING', next_attempt_at = created_at where event_id = ${awaited}::uuid`
        yield* archiveBefore(yield* directory, "2025-03-15")
        const months = yield* sql`select to_char(p.month, 'YYYY-MM') as month from surety.archive_part p`
        assert.deepStrictEqual(months, [{ month: "2025-02" }], "what waits to be sent keeps its month")
        yield* sql`
          update surety.webhook_endpoint set status = 'DISABLED', disabled_at = '2025-01-01T12:00:00Z'
          where id = ${toUuid(endpointId)}`

        yield* Effect.gen(function* () {
          const events = yield* EndpointEvents.EndpointEvents
          const endpoints = yield* WebhookEndpoints.WebhookEndpoints
          const enable = (since: EndpointEvents.RecoverSince) => events.enable(merchantId, endpointId, {}, since)
          for (const since of ["missed", day("2025-01-02")] as const) {
            assert.strictEqual((yield* Effect.flip(enable(since)))._tag, "EventArchived")
            assert.strictEqual((yield* endpoints.get(merchantId, endpointId)).status, "DISABLED")
          }
          yield* sql`delete from surety.delivery where event_id = ${toUuid(idsOf("2025-04")[0] ?? "")}::uuid`
          const { due, endpoint } = yield* Effect.flatMap(enable(day("2025-03-01")), events.sendMissed)
          assert.deepStrictEqual([due, endpoint.status, endpoint.missedSince], [1, "ENABLED", undefined])
        }).pipe(Effect.provide(services))
      })
    ),
  timeoutMillis
)
