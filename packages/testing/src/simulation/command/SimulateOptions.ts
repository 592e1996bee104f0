import { parseArgs } from "node:util"
import { type Subject, subjects } from "../Repertoire.js"

export interface SimulateOptions {
  /** Seed of the only story to run. If undefined, many stories run. */
  readonly seed: number | undefined
  /** With `seed`: true to print a violating story in full instead of shrinking it. */
  readonly isWhole: boolean
  /** Limits of a run of many stories. `Infinity` means no limit. No story starts once either limit is reached. */
  readonly steps: number
  readonly millis: number
  /** First seed of a run of many stories. */
  readonly from: number
  readonly about: Subject | undefined
  /** If undefined, each story has its default number of acts. */
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

/** Thrown if an option's value is invalid. The message names the option. */
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

/** Returns the options, "help" if the arguments request it, or a message if they are invalid. */
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
    // Drops the hint that `parseArgs` adds after the first sentence.
    return error instanceof Error ? (error.message.split(/[.]\s/u)[0] ?? error.message) : String(error)
  }
}

/** Returns the command-line options that run the same story again. */
export const sameStory = (seed: number, { about, acts }: SimulateOptions): string =>
  [
    `--seed ${seed}`,
    ...(acts === undefined ? [] : [`--acts ${acts}`]),
    ...(about === undefined ? [] : [`--about ${about}`])
  ].join(" ")
