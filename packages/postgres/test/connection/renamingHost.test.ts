import * as PgClient from "@effect/sql-pg/PgClient"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import type { AllPorts } from "@surety/testing/AllLaws"
import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as ConsentStoreLaws from "@surety/testing/consent/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/consent/ConsentUpkeepLaws"
import * as DeliveryQueueLaws from "@surety/testing/event/DeliveryQueueLaws"
import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import { type Law, suiteOf } from "@surety/testing/Law"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RefundStoreLaws from "@surety/testing/refund/RefundStoreLaws"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, String as Str } from "effect"

/**
 * A host's client that renames columns, even inside JSON, and pipelines statements. The stores over it use the schema
 * `order`, a reserved word.
 */
const host = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    PgClient.layer({
      url,
      transformResultNames: Str.snakeToCamel,
      transformQueryNames: Str.camelToSnake,
      multiplex: true
    })
  )
).pipe(Layer.provide(RunDatabase.layer))

const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provide(PgSettings.layer({ schema: "order", refundBatchSize: 3, refundBatchesAtOnce: 4 })),
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provide(host)
)

const adapter = "a host's client that renames columns and shares connections"

const laws: ReadonlyArray<Law<AllPorts>> = [
  ...RefundStoreLaws.laws,
  ...KycStoreLaws.laws,
  ...ConsentStoreLaws.laws,
  ...ConsentLogLaws.laws,
  ...ConsentUpkeepLaws.laws,
  ...DeliveryQueueLaws.laws
]

suiteOf("Stores", laws)(adapter, stores)
