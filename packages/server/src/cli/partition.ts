import * as PgPartitions from "@surety/postgres/PgPartitions"
import { Console, DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import { printShrunk } from "../archive/runArchive.js"
import { cellFlag } from "../cells/eachDatabase.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { withOwned } from "./withOwned.js"

const withPartitions = withOwned({
  part: PgPartitions.make,
  may: ({ mayChange }) => mayChange,
  refusal: "Only the tables' owner may partition them. Set DATABASE_URL to the owner's."
})

const known = ({ hasRest, partitions, rows, table }: PgPartitions.PartitionState): string =>
  `${table}: by month, about ${rows} rows in ${partitions} partitions` +
  (hasRest ? `, and some in ${table}_rest, because their month's partition was not created in time` : "")

const plan = Command.make("plan", everyMistake({ cell: cellFlag }), ({ cell }) =>
  withPartitions(cell, (partitions) =>
    Effect.gen(function* () {
      const day = DateTime.formatIsoDate(yield* partitions.boundary)
      for (const state of yield* partitions.states) {
        const { isPartitioned, rows, table } = state
        yield* Console.log(
          isPartitioned
            ? known(state)
            : `${table}: one table, about ${rows} rows. Apply would keep them in one partition and give each month from ${day} its own.`
        )
      }
    })
  )
).pipe(Command.withDescription("Show how each table is stored and what apply would do. Changes nothing."))

const apply = Command.make("apply", everyMistake({ cell: cellFlag }), ({ cell }) =>
  withPartitions(cell, (partitions) =>
    Effect.gen(function* () {
      for (const { isPartitioned, table } of yield* partitions.states) {
        yield* partitions.partition(table)
        yield* Console.log(
          isPartitioned ? `${table}: already partitioned by month` : `${table}: now partitioned by month`
        )
      }
      yield* printShrunk(yield* partitions.shrink)
      const ahead = yield* partitions.makeAhead
      yield* Console.log(`All of them have partitions for the next ${ahead ?? 0} months.`)
    })
  )
).pipe(
  Command.withDescription(
    "Partition the tables while the service reads and writes them. Run it again to resume; once done, it changes nothing."
  )
)

export const partition = Command.make("partition").pipe(Command.withSubcommands([plan, apply]))
