import { fromUuid } from "@surety/core/Ids"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import type { Fragment } from "effect/sql/Statement"

/** An inconsistency that `surety verify` reports. Each check is one query, so it reads one snapshot. */
export interface AuditCheck {
  readonly check: LedgerFault["check"]
  /** Selects `subject`, the parts of a record's name, and `detail`. */
  readonly query: Fragment
  readonly subjectOf: (parts: ReadonlyArray<string>) => string
}

/** A record's name from the uuid of its id. */
export const idText =
  (prefix: string) =>
  ([uuid = ""]: ReadonlyArray<string>): string =>
    fromUuid(prefix, uuid)

/** An account's name from its environment, kind, currency and owner. */
export const accountText = ([environment, kind, currency, owner = ""]: ReadonlyArray<string>): string =>
  [environment, kind, currency, kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner].join("/")
