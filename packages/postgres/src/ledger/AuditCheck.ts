import { fromUuid } from "@surety/core/Ids"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import type { Fragment } from "effect/sql/Statement"
import { ownerText, platformBooks } from "./AccountRow.js"

/** A check for one kind of inconsistency that an audit reports. It is one query, so it reads one snapshot. */
export interface AuditCheck {
  readonly check: LedgerFault["check"]
  /** Selects `subject` (the values that identify the record) and `detail`. */
  readonly query: Fragment
  readonly subjectOf: (parts: ReadonlyArray<string>) => string
}

/** Returns a `subjectOf` that builds a record's public id, with `prefix`, from its UUID. */
export const idText =
  (prefix: string) =>
  ([uuid = ""]: ReadonlyArray<string>): string =>
    fromUuid(prefix, uuid)

export const accountSubject = `array[a.environment, a.kind, a.currency, a.books::text, ${ownerText("a")}]`

/** Formats the value of `accountSubject` like `accountPartText`. */
export const accountText = ([environment, kind, currency, books = "", owner = ""]: ReadonlyArray<string>): string =>
  [
    environment,
    kind,
    currency,
    books === platformBooks ? "platform" : fromUuid("merchant", books),
    kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner
  ].join("/")
