import { existsSync } from "node:fs"
import path from "node:path"
import {
  gaps,
  leftOut,
  nothingReached,
  type Reached,
  staleReasons,
  withStory
} from "@surety/testing/simulation/Coverage"
import { type Invariant, invariants } from "@surety/testing/simulation/invariants/Invariant"
import { subjects } from "@surety/testing/simulation/Repertoire"
import { shortLinesOf, shrink, storyLinesOf } from "@surety/testing/simulation/Shrinking"
import { storyOf, tell } from "@surety/testing/simulation/Simulation"
import { describe, expect, it } from "vitest"
import type { Mistake } from "./mistakes/Mistake.js"
import { mistakes } from "./mistakes.js"

/** Minimum number of steps in a run. A run with unreached outcomes continues up to `stepsToReachAll`. */
const steps = 100_000
const stepsToReachAll = 250_000

/** Step limit of the search for one mistake. A story that has started still runs to its end. */
const mostSteps = 10_000

/**
 * Returns the first seed whose story finds the mistake, with the violated invariant, or `undefined` if none does within
 * `mostSteps`.
 */
const found = ({ about, parts }: Mistake): { readonly seed: number; readonly invariant: Invariant } | undefined => {
  let taken = 0
  for (let seed = 1; taken < mostSteps; seed += 1) {
    const told = tell(storyOf(seed, { about }), parts)
    taken += told.steps
    if (told.violation !== undefined) return { seed, invariant: told.violation.invariant }
  }
  return undefined
}

describe("a simulation", () => {
  it("violates no invariant, and reaches every state and transition", { timeout: 300_000 }, () => {
    let reached: Reached = nothingReached
    let taken = 0
    for (let seed = 1; taken < steps || (taken < stepsToReachAll && gaps(reached).length > 0); seed += 1) {
      // After `steps` steps, every second story is about one subject, to reach outcomes that general stories missed.
      const about = taken >= steps && seed % 2 === 0 ? subjects[(seed / 2) % subjects.length] : undefined
      const told = tell(storyOf(seed, { about }))
      taken += told.steps
      reached = withStory(reached, told)
      const again = about === undefined ? `--seed ${seed}` : `--seed ${seed} --about ${about}`
      expect(told.violation, `npx pnpm simulate ${again}`).toBeUndefined()
    }
    expect(staleReasons(reached)).toEqual([])
    expect(gaps(reached)).toEqual([])
  })

  it("says of each verb that it leaves out which test has it", () => {
    const root = path.join(import.meta.dirname, "../../../..")
    for (const [verb, why] of leftOut) {
      const test = /: (\S+\.test\.ts)$/u.exec(why)?.[1]
      expect(test !== undefined && existsSync(path.join(root, test)), `${verb}: ${why}`).toBe(true)
    }
  })

  it("tells a story twice in the same way", () => {
    for (const seed of [1, 2, 3]) {
      const one = tell(storyOf(seed), {}, true)
      const other = tell(storyOf(seed), {}, true)
      expect(other.lines).toEqual(one.lines)
      expect(other.steps).toBe(one.steps)
    }
  })
})

describe("a mistake is found", () => {
  for (const mistake of mistakes) {
    it(`that ${mistake.how}`, () => {
      const violation = found(mistake)
      expect(mistake.violates).toContain(violation?.invariant)
    })
  }

  it("by each invariant alone", () => {
    const alone = new Set(mistakes.flatMap(({ violates }) => (violates.length === 1 ? violates : [])))
    expect(invariants.filter((invariant) => !alone.has(invariant) && !besideAlone.has(invariant))).toEqual([])
  })
})

/** Invariants that can be violated only if calls also run on other stores, as in beside.test.ts. */
const besideAlone: ReadonlySet<Invariant> = new Set<Invariant>(["stores_agree"])

describe("a story is shrunk", () => {
  const shortestOf = (how: string) => {
    const mistake = mistakes.find((one) => one.how === how)
    const seed = mistake && found(mistake)?.seed
    if (mistake === undefined || seed === undefined) throw new Error(`${how} is not found`)
    return { mistake, ...shrink(storyOf(seed, { about: mistake.about }), mistake.parts) }
  }

  it("to what the violation needs, and tells it", () => {
    const { mistake, story, told } = shortestOf("forgets the key of a refund")
    expect(told.acts.length).toBeLessThanOrEqual(3)
    expect(told.lines.filter((line) => line.includes("refunds "))).toHaveLength(2)
    expect(told.mishaps).toEqual([])
    expect(storyLinesOf(told).at(-1)).toMatch(/^one_refund_per_key: refund \d and refund \d have one key$/)
    expect(storyLinesOf(tell(story, mistake.parts, true))).toEqual(storyLinesOf(told))
  })

  it("without what happens beside it, unless the violation is about that", () => {
    const { told } = shortestOf("forgets the key of a refund")
    const short = shortLinesOf(told)
    const paid = /of (payment \d+)/u.exec(short.join("\n"))?.[1] ?? "no payment"
    expect(short.join("\n")).toContain(`  ${paid}: new → SETTLED`)
    expect(short.filter((line) => / (?:payment|delivery|endpoint) \d+: /u.test(line))).toHaveLength(1)
    expect(storyLinesOf(told).length).toBeGreaterThan(short.length)
    const lost = { ...told, violation: { invariant: "told_iff_committed", detail: "delivery 1 is lost" } } as const
    expect(shortLinesOf(lost)).toEqual(storyLinesOf(lost))
  })

  it("to no fault at all if the violation needs none", () => {
    const { story, told } = shortestOf("keeps the action of a change twice")
    expect(story.isFaultless).toBe(true)
    expect(told.acts).toHaveLength(1)
    expect(told.mishaps).toEqual([])
  })

  it("to the one fault that the violation needs", () => {
    const { story, told } = shortestOf("takes a wallet's failure for a credit")
    expect(story.isFaultless).not.toBe(true)
    expect(told.mishaps).toHaveLength(1)
    expect(told.mishaps[0]).toContain("Wallet.credit")
  })
})
