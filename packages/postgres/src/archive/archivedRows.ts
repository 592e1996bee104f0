import { Schema } from "effect"

/** Tables in an archive, in an insertion order that satisfies their foreign keys. */
export const ArchivedTable = Schema.Literals(["merchant", "webhook_endpoint", "event", "delivery", "delivery_attempt"])
export type ArchivedTable = typeof ArchivedTable.Type

/** Tables whose rows archiving removes from the store. Rows of the other archived tables are only copied. */
export const TakenTable = Schema.Literals(["event", "delivery", "delivery_attempt"])
export type TakenTable = typeof TakenTable.Type

/**
 * Topics whose events may leave the store. Test events of any topic may too. Events of refunds, grants, data requests
 * and verifications stay unless they are test events. A refund's replay is read from its event. An erasure changes a
 * verification's event. `surety verify` looks for the events of all these records.
 */
export const archivableTopics = ["transaction.settled", "endpoint.disabled", "merchant.identity.data_changed"] as const

/** Time columns of each table. Archives contain their values in UTC. */
const timesOf: Readonly<Record<ArchivedTable, ReadonlyArray<string>>> = {
  merchant: ["created_at", "updated_at"],
  webhook_endpoint: ["failing_since", "created_at", "updated_at", "removed_at", "disabled_at", "missed_since"],
  event: ["occurred_at"],
  delivery: ["next_attempt_at", "leased_until", "created_at"],
  delivery_attempt: ["started_at"]
}

/**
 * Columns omitted from archives. Erasure and retention delete receivers' responses from the store, but cannot change an
 * archive.
 */
const without: Partial<Readonly<Record<ArchivedTable, ReadonlyArray<string>>>> = {
  delivery_attempt: ["response_body"]
}

const utc = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Columns whose values are replaced in the copies of merchants and endpoints. Another store needs the copies only for
 * the foreign keys of archived rows. A copied merchant has no contact details. A copied endpoint is disabled and
 * removed, with a placeholder url and no secrets.
 */
const blanked: Partial<Readonly<Record<ArchivedTable, (alias: string) => ReadonlyArray<string>>>> = {
  merchant: () => ["'contact_name', ''", "'contact_email', ''", "'support_email', null"],
  webhook_endpoint: (alias) => [
    "'url', 'https://archived.invalid/'",
    "'secrets', '[]'::jsonb",
    "'status', 'DISABLED'",
    `'removed_at', ${utc(`coalesce(${alias}.removed_at, now())`)}`
  ]
}

/** Builds an SQL expression that returns the row `alias` as a JSON line. */
export const lineOf = (table: ArchivedTable, alias: string): string => {
  const less = (without[table] ?? []).map((column) => ` - '${column}'`).join("")
  const times = timesOf[table].map((column) => `'${column}', ${utc(`${alias}.${column}`)}`)
  const blanks = blanked[table]?.(alias) ?? []
  return `((to_jsonb(${alias})${less}) || jsonb_build_object(${[...times, ...blanks].join(", ")}))::text`
}
