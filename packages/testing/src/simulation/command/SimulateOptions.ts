import { parseArgs } from "node:util"
import { type Subject, subjects } from "../Repertoire.js"

/** The options of a simulation run. */
export interface SimulateOptions {
  /** The one story to run. Undefined: many. */
  readonly seed: number | undefined
  /** Whether to print all of a violated story. */
  readonly isWhole: boolean
  /** When to stop: after this many steps, or this long. */
  readonly steps: number
  readonly millis: number
  /** The first seed of many stories. */
  readonly from: number
  readonly about: Subject | undefined
  /** Undefined: as many as a story has. */
  readonly acts: number | undefined
}

const options = {
  seed: { type: "string" },
  whole: { type: "boolean", default: false },
  steps: { type: "string" },
  minutes: { type: "string" },
  from: { type: "string" },
  about: { type: "string" },
  acts: { type: "string" },
  help: { type: "boolean", default: false }
} as const

/** Invalid options; the message says which is wrong. */
class OptionWrong extends Error {}

const numberOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0 && text.trim() !== "") return value
  throw new OptionWrong(`--${name} takes a number from 0, not "${text}"`)
}

const wholeOf = (name: string, text: string | undefined): number | undefined => {
  const value = numberOf(name, text)
  return value === undefined ? undefined : Math.floor(value)
}

const subjectOf = (text: string | undefined): Subject | undefined => {
  const found = subjects.find((subject) => subject === text)
  if (text === undefined || found !== undefined) return found
  throw new OptionWrong(`--about takes one of ${subjects.join(", ")}, not "${text}"`)
}

/** The options, a text that describes the fault, or "help". */
export const readSimulateOptions = (
  args: ReadonlyArray<string>,
  defaultSteps: number
): SimulateOptions | string | "help" => {
  try {
    const given = parseArgs({ args: args.filter((argument) => argument !== "--"), options }).values
    if (given.help) return "help"
    const minutes = numberOf("minutes", given.minutes)
    const steps = wholeOf("steps", given.steps)
    return {
      seed: wholeOf("seed", given.seed),
      isWhole: given.whole,
      steps: steps ?? (minutes === undefined ? defaultSteps : Number.POSITIVE_INFINITY),
      millis: minutes === undefined ? Number.POSITIVE_INFINITY : minutes * 60_000,
      from: wholeOf("from", given.from) ?? Date.now() % 2 ** 31,
      about: subjectOf(given.about),
      acts: wholeOf("acts", given.acts)
    }
  } catch (error) {
    // `parseArgs` adds a hint after the first sentence.
    return error instanceof Error ? (error.message.split(/[.]\s/u)[0] ?? error.message) : String(error)
  }
}

/** The options that repeat the same story. */
export const sameStory = (seed: number, { about, acts }: SimulateOptions): string =>
  [
    `--seed ${seed}`,
    ...(acts === undefined ? [] : [`--acts ${acts}`]),
    ...(about === undefined ? [] : [`--about ${about}`])
  ].join(" ")
