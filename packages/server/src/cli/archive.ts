import path from "node:path"
import { isCalendarDay } from "@surety/core/input/isCalendarTime"
import * as PgArchive from "@surety/postgres/PgArchive"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { type DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { merchantsIn, restoreArchive, verifyArchive } from "../archive/restoreArchive.js"
import { previewArchive, printShrunk, runArchive } from "../archive/runArchive.js"
import { cellFlag } from "../cells/eachDatabase.js"
import { requireResidents } from "../cells/requireResidents.js"
import { StartFailed } from "../StartFailed.js"
import { cellsOf } from "../settings/Settings.js"
import { settings } from "./environment.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { withOwned } from "./withOwned.js"

const Day = Schema.String.check(Schema.makeFilter(isCalendarDay, { expected: "a date, YYYY-MM-DD" })).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromString)
)

const before = Flag.String("before").pipe(
  Flag.withDescription("Archive the months that ended by this UTC date, such as 2026-06-01"),
  Flag.withSchema(Day),
  Flag.optional
)

const to = Flag.String("to").pipe(
  Flag.withDescription("The directory to write to, with a subdirectory for each cell; default: archive in DATA_DIR"),
  Flag.optional
)

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Print which months would be archived; change nothing"),
  Flag.withDefault(false)
)

const directory = Argument.String("directory").pipe(
  Argument.withDescription("A directory that surety archive wrote to, or one month in it")
)

const withArchive = withOwned({
  part: PgArchive.make,
  may: ({ mayTake }) => mayTake,
  refusal: "Only the tables' owner may archive: the serving role cannot remove events. Set DATABASE_URL to the owner's."
})

const shrinkPartitions = Effect.gen(function* () {
  const { shrink } = yield* PgPartitions.make
  yield* printShrunk(yield* shrink)
})

const run = Effect.fnUntraced(function* (given: {
  readonly before: Option.Option<DateTime.Utc>
  readonly to: Option.Option<string>
  readonly dryRun: boolean
  readonly cell: Option.Option<string>
}) {
  if (Option.isNone(given.before)) {
    return yield* new StartFailed({ message: "Name the months to archive: surety archive --before 2026-06-01." })
  }
  const current = yield* settings
  const plan = {
    before: given.before.value,
    to: path.resolve(Option.getOrElse(given.to, () => path.join(current.dataDir, "archive"))),
    by: current.operatorName
  }
  yield* withArchive(given.cell, (archive, cell) => {
    const own = { ...plan, to: cell === undefined ? plan.to : path.join(plan.to, cell.name) }
    return given.dryRun ? previewArchive(archive, own) : Effect.andThen(runArchive(archive, own), shrinkPartitions)
  })
})

const verify = Command.make("verify", everyMistake({ directory }), (given) =>
  verifyArchive(path.resolve(given.directory))
).pipe(Command.withDescription("Compare every byte of archives with their manifests. Exits with 1 if any differs."))

const restoring = Effect.fnUntraced(function* (given: {
  readonly directory: string
  readonly cell: Option.Option<string>
}) {
  const current = yield* settings
  if (Option.isNone(given.cell) && cellsOf(current) !== undefined) {
    return yield* new StartFailed({
      message: "Name the cell that the archives belong to: surety archive restore --cell NAME."
    })
  }
  const directory = path.resolve(given.directory)
  yield* withArchive(given.cell, (archive, cell) =>
    Effect.gen(function* () {
      if (cell !== undefined) yield* requireResidents(current, cell, yield* merchantsIn(directory))
      yield* restoreArchive(archive, directory)
    })
  )
})

const restore = Command.make("restore", everyMistake({ directory, cell: cellFlag }), restoring).pipe(
  Command.withDescription(
    "Restore archives to the store. Existing rows stay unchanged; running it again changes nothing."
  )
)

/** `surety archive`: moves archivable events of ended months to files. Its subcommands verify and restore archives. */
export const archive = Command.make("archive", everyMistake({ before, to, dryRun, cell: cellFlag }), run).pipe(
  Command.withSubcommands([verify, restore])
)
