import { Schema } from "effect"

/** What is archived, and what its rows refer to, in the order that foreign keys require for inserts. */
export const ArchivedTable = Schema.Literals(["merchant", "webhook_endpoint", "event", "delivery", "delivery_attempt"])
export type ArchivedTable = typeof ArchivedTable.Type

/** Tables whose rows an archive takes out of the store; of the others it has copies. */
export const TakenTable = Schema.Literals(["event", "delivery", "delivery_attempt"])
export type TakenTable = typeof TakenTable.Type

/**
 * Topics whose events no record refers to. Those of refunds, grants, data requests and verifications stay: a refund's
 * replay is read from its event, `surety verify` compares the others, and an erasure changes a verification's event.
 */
export const archivableTopics = ["transaction.settled", "endpoint.disabled", "merchant.identity.data_changed"] as const

/** Times of each table, which are written in UTC regardless of the session's time zone. */
const timesOf: Readonly<Record<ArchivedTable, ReadonlyArray<string>>> = {
  merchant: ["created_at", "updated_at"],
  webhook_endpoint: ["failing_since", "created_at", "updated_at", "removed_at", "disabled_at"],
  event: ["occurred_at"],
  delivery: ["next_attempt_at", "leased_until", "created_at"],
  delivery_attempt: ["started_at"]
}

/**
 * Columns that an archive never contains: an erasure and retention remove receivers' answers, and could not reach them
 * there.
 */
const without: Partial<Readonly<Record<ArchivedTable, ReadonlyArray<string>>>> = {
  delivery_attempt: ["response_body"]
}

const utc = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Columns that the copies omit. In another store the copies only satisfy an event's foreign keys: the merchant has no
 * contact, and its endpoint is removed, without url and secret.
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

/** SQL of the row `alias` as one line of JSON. */
export const lineOf = (table: ArchivedTable, alias: string): string => {
  const less = (without[table] ?? []).map((column) => ` - '${column}'`).join("")
  const times = timesOf[table].map((column) => `'${column}', ${utc(`${alias}.${column}`)}`)
  const blanks = blanked[table]?.(alias) ?? []
  return `((to_jsonb(${alias})${less}) || jsonb_build_object(${[...times, ...blanks].join(", ")}))::text`
}
