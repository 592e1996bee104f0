import { Schema } from "effect"

/**
 * Tables that can be partitioned by month, in the order in which they are partitioned. Each is partitioned by a UUIDv7
 * in its primary key. The key therefore stays unique across months, a row is found in one partition, and foreign keys
 * still reference it. A table precedes those that refer to it, since PostgreSQL before 18 cannot validate a foreign key
 * of a partitioned table later.
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

/** The column whose time decides a row's month. An attempt belongs to the month of its delivery. */
export const monthColumnOf = (table: PartitionedTable): string => (table === "delivery_attempt" ? "delivery_id" : "id")

/** Partition with the rows stored before the table was partitioned, and everything older. */
export const firstOf = (table: PartitionedTable): string => `${table}_first`

/**
 * Partition for rows that no other covers: their month's partition was created too late, or their id is not a UUIDv7.
 */
export const restOf = (table: PartitionedTable): string => `${table}_rest`

/** Constraint that proves the range of the first partition, so that attaching it needs no scan. */
export const firstCheckOf = (table: PartitionedTable): string => `${table}_first_check`

/** Number of months to create ahead of the current one. */
export const monthsAhead = 3
