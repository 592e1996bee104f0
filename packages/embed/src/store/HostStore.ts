import type { PgClient } from "@effect/sql-pg/PgClient"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import { type Layer, Schema } from "effect"

/** The store could not be opened; the message says why. */
export class StoreNotOpened extends Schema.TaggedError<StoreNotOpened>("@surety/embed/store/HostStore/StoreNotOpened")(
  "StoreNotOpened",
  { message: Schema.String, cause: Schema.Defect() }
) {}

export const storeNotOpened = (why: string, cause: unknown): StoreNotOpened =>
  new StoreNotOpened({ cause, message: `Surety cannot use its database: ${why}` })

/** Where Surety keeps its records: `memoryStore`, `embeddedStore`, or layers of a host's own. */
export interface HostStore {
  /** How many connections it has to its database: one merchant's reads use a quarter of them at most. Absent: no bound. */
  readonly connections?: number
  readonly layer: Layer.Layer<StorePorts, StoreNotOpened, DeliverySignal>
}

/** A store in PostgreSQL, which can take part in a transaction of the host's. */
export interface TransactionalStore extends HostStore {
  readonly layer: Layer.Layer<StorePorts | PgClient, StoreNotOpened, DeliverySignal>
}
