import { fromUuid } from "@surety/core/Ids"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import type { Fragment } from "effect/sql/Statement"

/** A fact that must never be, with what `surety verify` says of it. Each is one query, so it sees one moment. */
export interface Check {
  readonly check: LedgerFault["check"]
  /** Selects `subject`, the parts of a name, and `detail`. */
  readonly query: Fragment
  readonly subjectOf: (parts: ReadonlyArray<string>) => string
}

/** Names a record by the uuid of its id. */
export const idText =
  (prefix: string) =>
  ([uuid = ""]: ReadonlyArray<string>): string =>
    fromUuid(prefix, uuid)
