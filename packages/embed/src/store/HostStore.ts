import type { PgClient } from "@effect/sql-pg/PgClient"
import type { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import type { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { Readiness } from "@surety/core/Readiness"
import type { Stores } from "@surety/core/Services"
import type { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import { type Layer, Schema } from "effect"

/** Every port behind which records are kept. */
export type StorePorts =
  | Stores
  | ManagementLinkStore
  | CodeChallengeStore
  | DeliveryQueue
  | EventLog
  | KeyCanaryStore
  | Ledger
  | Readiness

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
