import { spawnSync } from "node:child_process"
import path from "node:path"
import { simulate } from "@surety/testing/simulation/command/SimulateCommand"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { describe, expect, it } from "vitest"
import { mistakes } from "./mistakes.js"

const run = (args: string, parts?: SimulatedParts) => {
  const printed: Array<string> = []
  const noted: Array<string> = []
  const code = simulate(
    args.split(" ").filter((argument) => argument !== ""),
    { print: (text) => printed.push(text), note: (text) => noted.push(text) },
    parts
  )
  return { code, printed: printed.join("\n"), noted: noted.join("\n") }
}

const forgetful = mistakes.find(({ how }) => how === "forgets the key of a refund")

describe("npx pnpm simulate", () => {
  it("tells a seed's story, the same each time", () => {
    const one = run("--seed 7 --acts 6")
    expect(one.code).toBe(0)
    expect(one.printed).toMatch(/act 6.*\n(?:.*\n)*\n\d+ steps, no violation$/u)
    expect(run("--seed 7 --acts 6")).toEqual(one)
  })

  it("tells a violation as the shortest story that has it, and how to tell it again", () => {
    const found = run("--from 1 --steps 20000 --about money", forgetful?.parts)
    expect(found.code).toBe(1)
    const seed = /^Seed (?<seed>\d+) violates one_refund_per_key:\n/u.exec(found.printed)?.groups?.seed
    expect(found.printed).toContain(`Again: npx pnpm simulate --seed ${seed} --about money`)
    const again = run(`--seed ${seed} --about money`, forgetful?.parts)
    expect(again.code).toBe(1)
    expect(found.printed.endsWith(again.printed)).toBe(true)
    const whole = run(`--seed ${seed} --about money --whole`, forgetful?.parts)
    expect(whole.code).toBe(1)
    expect(whole.printed.split("\n").length).toBeGreaterThan(again.printed.split("\n").length)
  })

  it("prints what its stories reached and what they did not, by verb and fate", () => {
    const { code, printed } = run("--from 4 --steps 1000")
    expect(code).toBe(0)
    expect(printed).toMatch(/^ +\d+ {2}merchant new → PENDING_REVIEW$/mu)
    expect(printed).toMatch(/^ +calls {2}RefundStore\.execute: answered \d+/mu)
    expect(printed).toMatch(/^ +never {2}\w+\.\w+: \w+/mu)
    expect(printed).toMatch(/^ +out {2}fate twice of KycProvider\.submit: a vendor/mu)
    expect(printed).toMatch(/^Of \d+ fates that a verb may meet, \d+ were met\.$/mu)
    expect(printed).toMatch(/Seeds 4 to \d+: \d+ steps in \d+ s, nothing violated\.$/u)
  })

  it("stops when its minutes are over", () => {
    expect(run("--from 4 --minutes 0").printed).toMatch(/Seeds 4 to 3: 0 steps in 0 s, nothing violated\.$/u)
  })

  it.each([
    ["--seed x", '--seed takes a number from 0, not "x"'],
    ["--steps -5", "Option '--steps' argument is ambiguous"],
    ["--minutes soon", '--minutes takes a number from 0, not "soon"'],
    ["--about nothing", "--about takes one of money, wallet"],
    ["--loud", "Unknown option '--loud'"],
    ["story", "Unexpected argument 'story'"]
  ])("refuses %s with one message", (args, message) => {
    const { code, noted, printed } = run(args)
    expect(code).toBe(2)
    expect(noted).toContain(message)
    expect(noted.split("\n")).toHaveLength(1)
    expect(noted).toMatch(/--help lists the options\.$/u)
    expect(printed).toBe("")
  })

  it("lists its options", () => {
    const { code, printed } = run("--help")
    expect(code).toBe(0)
    for (const option of ["seed", "whole", "steps", "minutes", "from", "about", "acts", "store"]) {
      expect(printed).toMatch(new RegExp(`^  --${option} `, "mu"))
    }
  })

  it("refuses a store that it does not know, before it builds anything", () => {
    const script = path.join(import.meta.dirname, "../../../../scripts/simulate.ts")
    const { status, stderr } = spawnSync(process.execPath, [script, "--store", "cloud"], { encoding: "utf8" })
    expect(status).toBe(2)
    expect(stderr.trim().split("\n").at(-1)).toBe("--store takes memory or pglite")
  })
})
