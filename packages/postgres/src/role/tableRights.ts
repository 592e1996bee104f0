import { stampedTables } from "./stampedGrants.js"

export type Change = "insert" | "update" | "delete"

/** No changes by the server. Only the tables' owner, and functions with the owner's privileges, change these tables. */
const none: ReadonlyArray<Change> = []
const append: ReadonlyArray<Change> = ["insert"]
const revise: ReadonlyArray<Change> = ["insert", "update"]
const all: ReadonlyArray<Change> = ["insert", "update", "delete"]

/**
 * The changes the server may make to each table. Most tables with `append` form the audit trail: who was refunded, who
 * read what, who decided. Their rows change only with the owner's privileges, as in an erasure or retention.
 */
export const changes: Readonly<Record<string, ReadonlyArray<Change>>> = {
  archive_part: none,
  erasure: none,
  owner_bound: none,
  verified_account: none,
  verified_chain: none,
  verified_open: none,
  verified_point: none,
  verified_total: none,
  audit_run: append,
  consent_receipt: append,
  event: append,
  identity_read: append,
  kyc_evidence: append,
  merchant_status_change: append,
  operator_action: append,
  operator_transfer: append,
  secret_key: append,
  transfer: append,
  account: revise,
  api_key: revise,
  asking: revise,
  consent_grant: revise,
  consumer: revise,
  data_request: revise,
  delivery_attempt: revise,
  event_order: revise,
  merchant: revise,
  hour_counted: revise,
  payment: revise,
  proposal: revise,
  platform_stream: revise,
  receipt_chain_end: revise,
  refund: revise,
  verification: revise,
  webhook_endpoint: revise,
  code_challenge: all,
  consumer_link: all,
  data_request_key: all,
  delivery: all,
  endpoint_claim: all,
  endpoint_wake: all,
  hour_count: all,
  management_link: all,
  operator_session: all,
  platform_feed: all,
  platform_outbox: all,
  rate_limit: all,
  request_entry: all,
  requests: all,
  rights_request: all
}

/**
 * Consumer columns that the server updates. Only an erasure changes the id. Foreign keys cascade a new id, so setting
 * it could assign one person's records to another.
 */
const revisedOfConsumer: ReadonlyArray<string> = [
  "external_id",
  "display_name",
  "country",
  "email",
  "phone_verified",
  "kyc_status",
  "kyc_tier",
  "kyc_evidence_count",
  "restricted_at"
]

/** Columns that the server reads, for tables that it reads only in part or not at all. */
const reads: Readonly<Record<string, ReadonlyArray<string>>> = {
  archive_part: ["month", "status"],
  erasure: []
}

/** A privilege on a whole table, on the columns `only`, or on every column but `except`. */
export interface TableRight {
  readonly table: string
  readonly verb: "select" | Change
  readonly only?: ReadonlyArray<string>
  readonly except?: string
}

const rightOf = (table: string, verb: Change): TableRight => {
  if (table === "consumer" && verb === "update") return { table, verb, only: revisedOfConsumer }
  return verb !== "delete" && stampedTables.includes(table) ? { table, verb, except: "committed_by" } : { table, verb }
}

const readOf = (table: string): ReadonlyArray<TableRight> => {
  const only = reads[table]
  if (only === undefined) return [{ table, verb: "select" }]
  return only.length === 0 ? [] : [{ table, verb: "select", only }]
}

/** Privileges of the server's role on the tables in `changes`. */
export const tableRights: ReadonlyArray<TableRight> = Object.entries(changes).flatMap(([table, verbs]) => [
  ...readOf(table),
  ...verbs.map((verb) => rightOf(table, verb))
])

/** Every table that the numbered migrations create. */
export const servedTables: ReadonlyArray<string> = Object.keys(changes)

/** Tables in which the server's role may neither update nor delete rows. */
export const unchangedTables: ReadonlyArray<string> = servedTables.filter(
  (table) => changes[table] === append || changes[table] === none
)
