import { PgClient } from "@effect/sql-pg/PgClient"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import type { StorePorts } from "@surety/core/StorePorts"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { type Context, DateTime, Effect, Layer, Option, type Scope } from "effect"
import * as EmbeddedDirectory from "../EmbeddedDirectory.ts"

/** Prevents timeouts, since the simulation's clock may jump while the database works. */
const settings = PgSettings.layer({ operationTimeoutMillis: 2_147_483_647, auditTimeoutMillis: 2_147_483_647 })

/** Stamps newly queued requests with the simulation's time instead of the database's. */
const inStoryTime = Layer.effect(
  HostRequestStore,
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const sql = yield* PgClient
    return {
      ...store,
      enqueue: (request) =>
        Effect.gen(function* () {
          const isNew = Option.isNone(yield* store.find(request.key))
          const queued = yield* store.enqueue(request)
          if (!isNew) return queued
          const createdAt = yield* DateTime.now
          const at = DateTime.toDate(createdAt)
          yield* Effect.orDie(
            sql`update surety.requests set created_at = ${at}, due_at = ${at} where key = ${request.key}`
          )
          return { ...queued, createdAt }
        })
    }
  })
)

const stores = PgStores.layer.pipe(Layer.provideMerge(PgMigrations.layer))

/** Every store over a new embedded database, to run alongside a simulation's own stores. Closed with the scope. */
export const pgliteBeside: Effect.Effect<Context.Context<StorePorts>, unknown, Scope.Scope> = Layer.build(
  Layer.provideMerge(inStoryTime, stores).pipe(
    Layer.provideMerge(EmbeddedDirectory.client),
    Layer.provide(Layer.merge(DeliverySignal.layer, settings))
  )
)
