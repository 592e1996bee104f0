import type { PgClient } from "@effect/sql-pg/PgClient"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import { type Layer, Schema } from "effect"

/** The store could not be opened, or is not ready. The message says why. */
export class StoreNotOpened extends Schema.TaggedError<StoreNotOpened>("@surety/embed/store/HostStore/StoreNotOpened")(
  "StoreNotOpened",
  { message: Schema.String, cause: Schema.Defect() }
) {}

export const storeNotOpened = (why: string, cause: unknown): StoreNotOpened =>
  new StoreNotOpened({ cause, message: `Surety cannot use its database: ${why}` })

/** The store of Surety's records: `postgresStore`, `embeddedStore`, `memoryStore`, or a host's own layer. */
export interface HostStore {
  /**
   * Size of the store's connection pool. One merchant's concurrent reads over HTTP are limited to a quarter of this
   * size, but never to less than one. If absent, reads are not limited.
   */
  readonly connections?: number
  /** The PostgreSQL schema of the store's tables. Absent if the store is not PostgreSQL. */
  readonly schema?: string
  readonly layer: Layer.Layer<StorePorts, StoreNotOpened, DeliverySignal>
}

/** A PostgreSQL store, which can join a host's transaction. */
export interface TransactionalStore extends HostStore {
  readonly layer: Layer.Layer<StorePorts | PgClient, StoreNotOpened, DeliverySignal>
}
