import { Retention, type RetentionLine } from "@surety/core/retention/Retention"
import { Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { everyMistake } from "./mistake/everyMistake.js"
import { withApp } from "./withApp.js"

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Print what would be taken; change nothing"),
  Flag.withDefault(false)
)

const lineOf = ({ before, count, kind }: RetentionLine, verb: string): string =>
  before === undefined
    ? `${kind}: kept for good`
    : `${kind}: ${verb} ${count} from before ${DateTime.formatIso(before)}`

/**
 * `surety retention`: removes data past its retention period in batches, as the server's workers do. With `--dry-run`,
 * only counts the data.
 */
export const retention = Command.make("retention", everyMistake({ dryRun }), (input) =>
  withApp(
    input.dryRun ? "read" : "change",
    Effect.gen(function* () {
      const { preview, run } = yield* Retention
      const lines = yield* input.dryRun ? preview : run
      const verb = input.dryRun ? "would take" : "took"
      for (const line of lines) yield* Console.log(lineOf(line, verb))
      yield* Console.log("Money, receipts and refund keys are never taken.")
    })
  )
)
