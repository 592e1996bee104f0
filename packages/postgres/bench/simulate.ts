// Run by `npx pnpm simulate --store pglite`; see docs/simulation.md.
import { parseArgs } from "node:util"
import { subjects } from "@surety/testing/simulation/Repertoire"
import { linesOf } from "@surety/testing/simulation/Shrinking"
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
  --acts <number>     acts of a story; ${defaultActs} unless given`

const options = {
  seed: { type: "string" },
  steps: { type: "string", default: "2000" },
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

const acts = Math.floor(numberOf("acts", given.acts))
const about = subjects.find((subject) => subject === given.about)
if (given.about !== undefined && about === undefined) fail(`--about takes one of ${subjects.join(", ")}`)

/** One story over a database of its own. */
const told = (seed: number): Promise<Told> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(pgliteBeside, (beside) =>
        Effect.promise(() => tellBeside(storyOf(seed, { about, acts }), { beside }, true))
      )
    )
  )

/** Prints a violated story whole. Returns whether it is one. */
const isViolated = (seed: number, story: Told): boolean => {
  if (story.violation === undefined) return false
  console.log(`${linesOf(story).join("\n")}\n\nSeed ${seed} violates ${story.violation.invariant}.`)
  process.exitCode = 1
  return true
}

const tellMany = async (): Promise<void> => {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const untilMillis = given.minutes === undefined ? undefined : numberOf("minutes", given.minutes) * 60_000
  const mostSteps = untilMillis === undefined ? numberOf("steps", given.steps) : Number.POSITIVE_INFINITY
  const first = Math.floor(given.from === undefined ? Date.now() % 2 ** 31 : numberOf("from", given.from))
  let steps = 0
  let seed = first
  for (; steps < mostSteps && elapsed() < (untilMillis ?? Number.POSITIVE_INFINITY); seed += 1) {
    const story = await told(seed)
    steps += story.steps
    if (isViolated(seed, story)) return
  }
  const seconds = Math.round(elapsed() / 1000)
  console.log(`Seeds ${first} to ${seed - 1}: ${steps} steps in ${seconds} s, both stores agree.`)
}

if (given.help) console.log(usage)
else if (given.seed === undefined) await tellMany()
else {
  const seed = Math.floor(numberOf("seed", given.seed))
  const story = await told(seed)
  if (!isViolated(seed, story)) console.log(`${linesOf(story).join("\n")}\n\n${story.steps} steps, both stores agree`)
}
