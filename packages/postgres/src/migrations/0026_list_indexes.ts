import type { Migration } from "./Migration.js"

const environments = ["TEST", "LIVE"] as const

/** One index for each environment, since lists name theirs as a constant. */
const perEnvironment = (
  schema: string,
  table: string,
  name: string,
  columns: string,
  also = ""
): ReadonlyArray<string> =>
  environments.map(
    (environment) =>
      `create index ${table}_${environment.toLowerCase()}_${name}_idx on ${schema}.${table} (${columns})
  where environment = '${environment}'${also}`
  )

/**
 * An index for every filter of every list, so that no list's work grows with the rows it does not show.
 *
 * Deliveries are listed by status, which each has, so that one index serves the list of all of them and of each status,
 * and another the same lists of one endpoint. A merchant's are its endpoints', also those that were removed.
 */
export const migration: Migration = {
  id: 26,
  name: "list_indexes",
  statements: (schema) => [
    // No list has test events.
    ...environments.map((environment) => `drop index ${schema}.event_${environment.toLowerCase()}_idx`),
    ...perEnvironment(schema, "event", "newest", "merchant_id, id", " and test_for is null"),
    ...perEnvironment(schema, "event", "topic", "merchant_id, topic, id", " and test_for is null"),

    `create index delivery_status_idx on ${schema}.delivery (environment, status, event_id, endpoint_id)`,
    `drop index ${schema}.delivery_open_idx`,
    `drop index ${schema}.delivery_test_idx`,
    `create index delivery_endpoint_idx on ${schema}.delivery (endpoint_id, status, event_id)`,
    `create index webhook_endpoint_all_idx on ${schema}.webhook_endpoint (merchant_id, environment, id)`,

    ...["data_request", "consent_grant", "identity_read"].flatMap((table) =>
      perEnvironment(schema, table, "user", "user_id, id")
    ),
    ...perEnvironment(schema, "account", "all", "id")
  ]
}
