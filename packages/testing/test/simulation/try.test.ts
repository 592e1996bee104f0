import { storyOf, tell } from "@surety/testing/simulation/Simulation"
import { it } from "vitest"

it("tries", { timeout: 3_600_000 }, () => {
  const from = Number(process.env.FROM ?? 1)
  const many = Number(process.env.MANY ?? 20)
  const started = performance.now()
  let steps = 0
  const seen = new Map<string, string[]>()
  for (let seed = from; seed < from + many; seed++) {
    const told = tell(storyOf(seed), {}, process.env.LINES === "1")
    steps += told.steps
    if (told.violation) {
      const key = told.violation.invariant + ": " + told.violation.detail.replace(/\d+/g, "#").slice(0, 200)
      seen.set(key, [...(seen.get(key) ?? []), String(seed)])
    }
    if (process.env.LINES === "1") console.log(told.lines.join("\n"), told.violation)
  }
  console.log(steps, "steps", Math.round(performance.now() - started), "ms")
  for (const [k, v] of seen) console.log(v.length, k, v.slice(0, 5).join(","))
})
