// Run by `npx pnpm simulate`; see docs/simulation.md.
import { parseArgs } from "node:util"
import { coverageLines, gaps, nothingReached, withStory } from "@surety/testing/simulation/Coverage"
import { subjects } from "@surety/testing/simulation/Repertoire"
import { linesOf, shortLinesOf, shrink } from "@surety/testing/simulation/Shrinking"
import { defaultActs, storyOf, tell } from "@surety/testing/simulation/Simulation"

const usage = `Usage: npx pnpm simulate [--seed <number>] [--whole] [--steps <number>] [--minutes <number>] [--from <number>]

  --seed <number>     tells one story, and shortens it if it violates an invariant
  --whole             with --seed: tells all of it, also what the violation does not need
  --steps <number>    tells stories until they have this many steps; 100000 unless given
  --minutes <number>  tells stories for this long instead
  --from <number>     the first seed; unless given, one that the clock decides
  --about <subject>   ${subjects.join(", ")}: what the stories are mostly about; unless given, each seed decides
  --acts <number>     acts of a story; ${defaultActs} unless given
  --store pglite      runs each call to a store on an embedded database too, and compares the answers`

const options = {
  seed: { type: "string" },
  whole: { type: "boolean", default: false },
  steps: { type: "string", default: "100000" },
  minutes: { type: "string" },
  from: { type: "string" },
  about: { type: "string" },
  acts: { type: "string", default: String(defaultActs) },
  help: { type: "boolean", default: false }
} as const

const fail = (message: string): never => {
  console.error(`${message}\n\n${usage}`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({ args: process.argv.slice(2).filter((argument) => argument !== "--"), options }).values
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

const given = read()

const numberOf = (name: string, text: string): number => {
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 && text.trim() !== "" ? value : fail(`--${name} takes a number`)
}

const wholeOf = (name: string, text: string): number => Math.floor(numberOf(name, text))

const acts = wholeOf("acts", given.acts)
const about = subjects.find((subject) => subject === given.about)
if (given.about !== undefined && about === undefined) fail(`--about takes one of ${subjects.join(", ")}`)

/** The options that tell the same story again. */
const again = (seed: number): string =>
  [
    `--seed ${seed}`,
    ...(acts === defaultActs ? [] : [`--acts ${acts}`]),
    ...(about === undefined ? [] : [`--about ${about}`])
  ].join(" ")

/** Prints the shortest story of a seed that violates an invariant. */
const explain = (seed: number): void => {
  const { story, told, tries } = shrink(storyOf(seed, { acts, about }))
  console.log(shortLinesOf(told).join("\n"))
  const size = `${told.acts.length} acts and ${told.mishaps.length} mishaps`
  console.log(
    `\nShortest of ${tries} stories: ${size}, up to act ${story.acts}. Again: npx pnpm simulate ${again(seed)}`
  )
}

const tellOne = (seed: number): void => {
  const told = tell(storyOf(seed, { acts, about }), {}, true)
  if (told.violation === undefined || given.whole) {
    console.log(linesOf(told).join("\n"))
    console.log(`\n${told.steps} steps, ${told.violation === undefined ? "no violation" : "violated"}`)
  } else {
    explain(seed)
  }
  process.exitCode = told.violation === undefined ? 0 : 1
}

const tellMany = (): void => {
  const startedAt = performance.now()
  const untilMillis = given.minutes === undefined ? undefined : numberOf("minutes", given.minutes) * 60_000
  const mostSteps = untilMillis === undefined ? wholeOf("steps", given.steps) : Number.POSITIVE_INFINITY
  const first = given.from === undefined ? Date.now() % 2 ** 31 : wholeOf("from", given.from)
  let reached = nothingReached
  let steps = 0
  let seed = first
  let saidAt = 0
  const elapsed = () => performance.now() - startedAt
  for (; steps < mostSteps && elapsed() < (untilMillis ?? Number.POSITIVE_INFINITY); seed += 1) {
    const told = tell(storyOf(seed, { acts, about }))
    steps += told.steps
    reached = withStory(reached, told)
    if (told.violation !== undefined) {
      console.log(`Seed ${seed} violates ${told.violation.invariant}:\n`)
      explain(seed)
      process.exitCode = 1
      return
    }
    if (elapsed() - saidAt < 60_000) continue
    saidAt = elapsed()
    console.error(`${Math.round(saidAt / 60_000)} min: ${seed - first + 1} stories, ${steps} steps, nothing violated`)
  }
  console.log(coverageLines(reached).join("\n"))
  const missed = gaps(reached).length
  console.log(`\nSeeds ${first} to ${seed - 1}: ${steps} steps in ${Math.round(elapsed() / 1000)} s, nothing violated.`)
  if (missed > 0) console.log(`${missed} things were never reached; run longer, or see "never" above.`)
}

if (given.help) console.log(usage)
else if (given.seed !== undefined) tellOne(wholeOf("seed", given.seed))
else tellMany()
