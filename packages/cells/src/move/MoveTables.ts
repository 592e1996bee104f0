/**
 * A table of a cell, and how a move treats the merchant's rows in it.
 *
 * `moves`: the rows go to the target cell. `stays`: the table's rows do not move with the merchant; `why` gives the
 * reason.
 */
export type MoveTable =
  | {
      readonly _tag: "moves"
      readonly name: string
      /** Columns that identify a row. */
      readonly key: ReadonlyArray<string>
      /** Returns SQL for the merchant of the row `row`. `schema` is the quoted schema of the tables. */
      readonly merchantOf: (row: string, schema: string) => string
      /**
       * Returns an SQL condition for the merchant's rows of the table, aliased `t`. `$merchant` stands for the
       * merchant's id.
       */
      readonly isTheirs: (schema: string) => string
      /** Columns whose values the target cell assigns. */
      readonly fresh: ReadonlyArray<string>
      /**
       * Workers leave a row alone until the time in `column`. Only rows that match the SQL condition `when` are parked.
       */
      readonly parked?: { readonly column: string; readonly when: string }
    }
  | { readonly _tag: "stays"; readonly name: string; readonly why: string }

/** Placeholder for the merchant's id in `isTheirs`. */
export const merchantParameter = "$merchant"

const moves = (
  name: string,
  key: ReadonlyArray<string>,
  options: Partial<Omit<Extract<MoveTable, { _tag: "moves" }>, "_tag" | "name" | "key">> = {}
): MoveTable => ({
  _tag: "moves",
  name,
  key,
  merchantOf: (row) => `${row}.merchant_id`,
  isTheirs: () => `t.merchant_id = ${merchantParameter}`,
  fresh: [],
  ...options
})

const stays = (name: string, why: string): MoveTable => ({ _tag: "stays", name, why })

const ofStream = {
  merchantOf: (row: string) => `${row}.stream`,
  isTheirs: () => `t.stream = ${merchantParameter}`
}

/**
 * Every table of a cell. Moving tables are ordered as their foreign keys require. Refunds and transfers get a new
 * transaction id (`committed_by`) in the target cell. Events keep theirs, because it is part of the position in
 * merchants' cursors.
 */
export const moveTables: ReadonlyArray<MoveTable> = [
  moves("merchant", ["id"], { merchantOf: (row) => `${row}.id`, isTheirs: () => `t.id = ${merchantParameter}` }),
  moves("merchant_status_change", ["id"], { fresh: ["id"] }),
  moves("api_key", ["id"]),
  moves("account", ["id"], { fresh: ["id", "books", "opens_account"] }),
  moves("event", ["id", "merchant_id", "environment"]),
  moves("webhook_endpoint", ["id", "merchant_id", "environment"]),
  moves("consumer_link", ["user_id", "merchant_id", "environment"]),
  moves("payment", ["id", "merchant_id", "environment"]),
  moves("refund", ["id", "merchant_id", "environment"], {
    fresh: ["committed_by"],
    parked: { column: "leased_until", when: "t.status = 'PENDING'" }
  }),
  moves("operator_transfer", ["id"], { fresh: ["committed_by"] }),
  moves("transfer", ["id"], { fresh: ["committed_by"] }),
  moves("proposal", ["id"]),
  moves("operator_action", ["id"]),
  moves("data_request", ["id", "merchant_id", "environment"], {
    parked: { column: "notify_at", when: "t.notify_at is not null" }
  }),
  moves("data_request_key", ["idempotency_key", "merchant_id", "environment"]),
  moves("consent_grant", ["id", "merchant_id", "environment"]),
  moves("asking", ["user_id", "merchant_id", "environment"]),
  moves("consent_receipt", ["id", "merchant_id", "environment"]),
  moves("receipt_chain_end", ["merchant_id", "environment"]),
  moves("identity_read", ["id", "merchant_id", "environment"]),
  moves("verification", ["id"], { parked: { column: "due_at", when: "t.due_at is not null" } }),
  moves("kyc_evidence", ["verification_id"]),
  moves("management_link", ["token_hash"]),
  moves("code_challenge", ["link_hash"], {
    merchantOf: (row, schema) => `coalesce(
      (select d.merchant_id from ${schema}.data_request d where d.token_hash = ${row}.link_hash),
      (select m.merchant_id from ${schema}.management_link m where m.token_hash = ${row}.link_hash)
    )`,
    isTheirs: (schema) => `t.link_hash in (
      select d.token_hash from ${schema}.data_request d
      where d.merchant_id = ${merchantParameter} and d.token_hash is not null
      union all
      select m.token_hash from ${schema}.management_link m where m.merchant_id = ${merchantParameter}
    )`
  }),
  moves("delivery", ["id"], { parked: { column: "next_attempt_at", when: "t.status = 'PENDING'" } }),
  moves("delivery_attempt", ["delivery_id", "id"], {
    merchantOf: (row, schema) => `(select d.merchant_id from ${schema}.delivery d where d.id = ${row}.delivery_id)`,
    isTheirs: (schema) =>
      `t.delivery_id in (select d.id from ${schema}.delivery d where d.merchant_id = ${merchantParameter})`
  }),
  moves("platform_outbox", ["stream", "epoch", "committed_by", "event_id"], ofStream),
  moves("platform_stream", ["stream"], { ...ofStream, parked: { column: "leased_until", when: "true" } }),
  moves("request_entry", ["id"]),

  stays("archive_part", "a cell's months in files, which stay where they are"),
  stays("audit_run", "the home cell's"),
  stays("consumer", "people are copied by the directory"),
  stays("endpoint_claim", "counts the last seconds of an endpoint"),
  stays("endpoint_wake", "made again when the endpoints start in the other cell"),
  stays("erasure", "people's"),
  stays("event_order", "the cell's own order"),
  stays("hour_count", "the cell's sums; the merchant's part is added and taken"),
  stays("hour_counted", "which hours the cell has counted"),
  stays("operator_session", "the home cell's"),
  stays("owner_bound", "the cell's own bounds"),
  stays("platform_feed", "the cell's own"),
  stays("rate_limit", "the home cell's"),
  stays("requests", "a host's queue, which its own transactions write"),
  stays("rights_request", "people's, in the home cell"),
  stays("secret_key", "which keys the cell has seen"),
  stays("surety_functions", "the migrations'"),
  stays("surety_migrations", "the migrations'"),
  stays("verified_account", "begins again: both cells are verified as a whole after a move"),
  stays("verified_chain", "begins again"),
  stays("verified_open", "begins again"),
  stays("verified_point", "begins again"),
  stays("verified_total", "begins again")
]

/** Tables whose rows move with the merchant. */
export const moving = moveTables.filter((table) => table._tag === "moves")

export type MovingTable = (typeof moving)[number]

/** Moving tables with a column `user_id`, which refers to a person of the cell. */
export const tablesOfPeople: ReadonlyArray<string> = [
  "account",
  "asking",
  "consent_grant",
  "consent_receipt",
  "consumer_link",
  "data_request",
  "identity_read",
  "kyc_evidence",
  "management_link",
  "operator_transfer",
  "payment",
  "verification"
]
