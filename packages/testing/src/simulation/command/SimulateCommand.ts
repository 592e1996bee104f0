import { coverageLines, fateCount, gaps, nothingReached, type Reached, withStory } from "../Coverage.js"
import { subjects } from "../Repertoire.js"
import { shortLinesOf, shrink, storyLinesOf } from "../Shrinking.js"
import { defaultActs, storyOf, tell } from "../Simulation.js"
import type { SimulatedParts } from "../world/Cluster.js"
import { readSimulateOptions, type SimulateOptions, sameStory } from "./SimulateOptions.js"

const usage = `Usage: npx pnpm simulate [--seed <number>] [--whole] [--steps <number>] [--minutes <number>] [--from <number>]

  --seed <number>     tells one story, and shortens it if it violates an invariant
  --whole             with --seed: tells all of it, also what the violation does not need
  --steps <number>    tells stories until they have this many steps; 100000 unless given
  --minutes <number>  tells stories for this long instead
  --from <number>     the first seed; unless given, one that the clock decides
  --about <subject>   ${subjects.join(", ")}: what the stories are mostly about; unless given, each seed decides
  --acts <number>     acts of a story; ${defaultActs} unless given, and more in every fourth
  --store pglite      runs each call to a store on an embedded database too, and compares the answers`

/** The command's output. `print` is for results, `note` for progress and errors. */
export interface Output {
  readonly print: (text: string) => void
  readonly note: (text: string) => void
}

export const coverageReport = (reached: Reached): string => {
  const missed = gaps(reached).length
  const { all, met } = fateCount(reached)
  const more = missed === 0 ? "" : `\n${missed} things were never reached; run longer, or see "never" above.`
  return `${coverageLines(reached).join("\n")}\n\nOf ${all} fates that a verb may meet, ${met} were met.${more}`
}

const explain = (seed: number, options: SimulateOptions, { print }: Output, parts: SimulatedParts): void => {
  const { story, told, tries } = shrink(storyOf(seed, options), parts)
  print(shortLinesOf(told).join("\n"))
  const size = `${told.acts.length} acts and ${told.mishaps.length} mishaps`
  const again = `npx pnpm simulate ${sameStory(seed, options)}`
  print(`\nShortest of ${tries} stories: ${size}, up to act ${story.acts}. Again: ${again}`)
}

const tellOne = (seed: number, options: SimulateOptions, output: Output, parts: SimulatedParts): number => {
  const told = tell(storyOf(seed, options), parts, true)
  if (told.violation === undefined || options.isWhole) {
    output.print(storyLinesOf(told).join("\n"))
    output.print(`\n${told.steps} steps, ${told.violation === undefined ? "no violation" : "violated"}`)
  } else {
    explain(seed, options, output, parts)
  }
  return told.violation === undefined ? 0 : 1
}

const tellMany = (options: SimulateOptions, output: Output, parts: SimulatedParts): number => {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const first = options.from
  let reached = nothingReached
  let steps = 0
  let seed = first
  let saidAt = 0
  for (; steps < options.steps && elapsed() < options.millis; seed += 1) {
    const told = tell(storyOf(seed, options), parts)
    steps += told.steps
    reached = withStory(reached, told)
    if (told.violation !== undefined) {
      output.print(`Seed ${seed} violates ${told.violation.invariant}:\n`)
      explain(seed, options, output, parts)
      return 1
    }
    if (elapsed() - saidAt < 60_000) continue
    saidAt = elapsed()
    const minutes = Math.round(saidAt / 60_000)
    output.note(`${minutes} min: ${seed - first + 1} stories, ${steps} steps, nothing violated`)
  }
  output.print(coverageReport(reached))
  const seconds = Math.round(elapsed() / 1000)
  output.print(`Seeds ${first} to ${seed - 1}: ${steps} steps in ${seconds} s, nothing violated.`)
  return 0
}

/**
 * Runs `npx pnpm simulate` with these arguments. Returns the exit code: 0, 1 if an invariant is violated, or 2 on a
 * usage error.
 */
export const simulate = (args: ReadonlyArray<string>, output: Output, parts: SimulatedParts = {}): number => {
  const options = readSimulateOptions(args, 100_000)
  if (options === "help") {
    output.print(usage)
    return 0
  }
  if (typeof options === "string") {
    output.note(`${options}. --help lists the options.`)
    return 2
  }
  return options.seed === undefined ? tellMany(options, output, parts) : tellOne(options.seed, options, output, parts)
}
