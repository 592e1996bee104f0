// Run by `npx pnpm simulate --store pglite`; see docs/simulation.md.
import { nothingReached, withStory } from "@surety/testing/simulation/Coverage"
import { coverageReport } from "@surety/testing/simulation/command/SimulateCommand"
import { readSimulateOptions, type SimulateOptions } from "@surety/testing/simulation/command/SimulateOptions"
import { subjects } from "@surety/testing/simulation/Repertoire"
import { storyLinesOf } from "@surety/testing/simulation/Shrinking"
import { defaultActs, storyOf, type Told, tellBeside } from "@surety/testing/simulation/Simulation"
import { Effect } from "effect"
import { pgliteBeside } from "../test/simulation/pgliteBeside.ts"

const usage = `Usage: npx pnpm simulate --store pglite [--seed <number>] [--steps <number>] [--minutes <number>] [--from <number>]

  Tells stories whose every call to a store also goes to an embedded database, and compares the answers.

  --seed <number>     tells one story
  --steps <number>    tells stories until they have this many steps; 2000 unless given
  --minutes <number>  tells stories for this long instead
  --from <number>     the first seed; unless given, one that the clock decides
  --about <subject>   ${subjects.join(", ")}: what the stories are mostly about; unless given, each seed decides
  --acts <number>     acts of a story; ${defaultActs} unless given, and more in every fourth`

const told = (seed: number, options: SimulateOptions): Promise<Told> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(pgliteBeside, (beside) =>
        Effect.promise(() => tellBeside(storyOf(seed, options), { beside }, true))
      )
    )
  )

const isViolated = (seed: number, story: Told): boolean => {
  if (story.violation === undefined) return false
  console.log(`${storyLinesOf(story).join("\n")}\n\nSeed ${seed} violates ${story.violation.invariant}.`)
  process.exitCode = 1
  return true
}

const tellMany = async (options: SimulateOptions): Promise<void> => {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const first = options.from
  let reached = nothingReached
  let steps = 0
  let seed = first
  for (; steps < options.steps && elapsed() < options.millis; seed += 1) {
    const story = await told(seed, options)
    steps += story.steps
    reached = withStory(reached, story)
    if (isViolated(seed, story)) return
  }
  const seconds = Math.round(elapsed() / 1000)
  console.log(coverageReport(reached))
  console.log(`Seeds ${first} to ${seed - 1}: ${steps} steps in ${seconds} s, both stores agree.`)
}

const options = readSimulateOptions(process.argv.slice(2), 2_000)
if (options === "help") console.log(usage)
else if (typeof options === "string") {
  console.error(`${options}. --help lists the options.`)
  process.exitCode = 2
} else if (options.seed === undefined) await tellMany(options)
else {
  const story = await told(options.seed, options)
  if (!isViolated(options.seed, story)) {
    console.log(`${storyLinesOf(story).join("\n")}\n\n${story.steps} steps, both stores agree`)
  }
}
