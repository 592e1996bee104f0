// Simulates at least 100,000 steps in each of three rounds and prints a report as JSON. The stories have the seeds 1,
// 2, 3 and so on, as in the tests. Fails if a story violates an invariant.
// `--quick`: one round of at least 10,000 steps.
import { fateCount, gaps, nothingReached, withStory } from "@surety/testing/simulation/Coverage"
import { storyOf, tell } from "@surety/testing/simulation/Simulation"

const isQuick = process.argv.includes("--quick")
const mostSteps = isQuick ? 10_000 : 100_000
const rounds = isQuick ? 1 : 3
const mostSeconds = 30

interface Round {
  readonly stories: number
  readonly steps: number
  readonly seconds: number
  readonly processorSeconds: number
  readonly missed: number
  readonly fates: number
}

const tellAll = (): Round => {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  let reached = nothingReached
  let steps = 0
  let stories = 0
  while (steps < mostSteps) {
    stories += 1
    const told = tell(storyOf(stories))
    if (told.violation !== undefined) throw new Error(`seed ${stories} violates ${told.violation.invariant}`)
    steps += told.steps
    reached = withStory(reached, told)
  }
  const { system, user } = process.cpuUsage(before)
  const seconds = (performance.now() - startedAt) / 1000
  const { met } = fateCount(reached)
  return { stories, steps, seconds, processorSeconds: (system + user) / 1e6, missed: gaps(reached).length, fates: met }
}

const told = Array.from({ length: rounds }, tellAll)
const [round] = told.toSorted((one, other) => one.processorSeconds - other.processorSeconds).slice(rounds >> 1)
if (round === undefined) throw new Error("nothing was measured")

const simulation = {
  versions: {},
  settings: { steps: mostSteps, rounds },
  lines: told.map(({ processorSeconds, seconds, steps, stories }) => ({
    stories,
    steps,
    "seconds by the clock": seconds.toFixed(1),
    "seconds of a processor": processorSeconds.toFixed(1),
    stepsPerSecond: steps / processorSeconds
  })),
  goals: [
    {
      what: `${mostSteps.toLocaleString("en")} steps, on one of two cores`,
      goal: `under ${mostSeconds} s`,
      measured: `${round.processorSeconds.toFixed(1)} s of a processor`,
      isMet: round.processorSeconds < mostSeconds
    }
  ],
  figures: {
    seconds: round.processorSeconds,
    stepsPerSecond: round.steps / round.processorSeconds,
    stories: round.stories,
    fates: round.fates,
    missed: round.missed
  },
  rounds: told
}

console.log(JSON.stringify({ simulation }))
