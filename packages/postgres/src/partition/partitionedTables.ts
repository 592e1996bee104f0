import { Schema } from "effect"

/**
 * The tables that can be partitioned by month, in the order in which they are. Each is partitioned by a UUIDv7 in its primary
 * key: so the key stays unique over all months, a row is found in one partition, and foreign keys name it as before. A table
 * comes before those that refer to it, since PostgreSQL before 18 validates no foreign key of a partitioned table later.
 */
export const PartitionedTable = Schema.Literals([
  "identity_read",
  "operator_action",
  "event",
  "delivery",
  "delivery_attempt"
])
export type PartitionedTable = typeof PartitionedTable.Type

export const partitionedTables: ReadonlyArray<PartitionedTable> = PartitionedTable.literals

/** The column whose moment decides on a row's month. Attempts are with others of their delivery, by its id. */
export const monthColumnOf = (table: PartitionedTable): string => (table === "delivery_attempt" ? "delivery_id" : "id")

/** What a table held before it was partitioned, and all that is older. */
export const firstOf = (table: PartitionedTable): string => `${table}_first`

/** Rows of no other partition: their month's partition was not made in time, or their id is of another kind. */
export const restOf = (table: PartitionedTable): string => `${table}_rest`

/** The constraint that proves the first partition's range, so that it is attached without being read. */
export const firstCheckOf = (table: PartitionedTable): string => `${table}_first_check`

/** How many months are made ahead of the current one. */
export const monthsAhead = 3
