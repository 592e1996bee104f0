import { Schema } from "effect"

/**
 * Tables that can be partitioned by month, in the order in which they are partitioned. Each is partitioned by a UUIDv7
 * in its primary key. The key therefore stays unique across months, and foreign keys can still reference the table. A
 * lookup by that UUID reads one partition. A table precedes those that refer to it, because PostgreSQL before 18 cannot
 * add an unvalidated foreign key to a partitioned table.
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

/**
 * Returns the UUIDv7 column whose time determines a row's month. A delivery attempt belongs to the month of its
 * delivery.
 */
export const monthColumnOf = (table: PartitionedTable): string => (table === "delivery_attempt" ? "delivery_id" : "id")

/** Name of the first partition, which was the complete table before partitioning. It has no lower bound. */
export const firstOf = (table: PartitionedTable): string => `${table}_first`

/** Name of the default partition, for rows that no other partition covered when they were inserted. */
export const restOf = (table: PartitionedTable): string => `${table}_rest`

/** Name of the constraint that proves the range of the first partition, so that attaching it needs no scan. */
export const firstCheckOf = (table: PartitionedTable): string => `${table}_first_check`

/** Number of months, after the current one, whose partitions are created in advance. */
export const monthsAhead = 3
