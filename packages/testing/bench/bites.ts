import { shrink } from "@surety/testing/simulation/Shrinking"
import { storyOf, tell } from "@surety/testing/simulation/Simulation"
import { mistakes } from "../test/simulation/mistakes.js"

const only = process.argv[2] ?? "all"
const max = Number(process.argv[3] ?? 10000)
let found = 0,
  n = 0,
  all = 0
for (const { about, how, parts, violates } of mistakes) {
  if (only !== "all" && !how.includes(only)) continue
  let steps = 0
  let result = "NOT FOUND"
  n++
  for (let seed = 1; steps < max; seed++) {
    const told = tell(storyOf(seed, { about }), parts)
    steps += told.steps
    if (told.violation) {
      found++
      result = `${violates.includes(told.violation.invariant) ? "" : "OTHER "}${told.violation.invariant} after ${steps} seed ${seed}: ${told.violation.detail.slice(0, 90)}`
      if (process.argv[4]) {
        const s = shrink(storyOf(seed, { about }), parts)
        result +=
          `\n  ${s.tries} tries, ${s.told.acts.length} acts ${s.told.mishaps.length} mishaps\n   ` +
          s.told.lines.join("\n   ") +
          "\n" +
          JSON.stringify(s.told.violation)
      }
      break
    }
  }
  all += steps
  console.log(how.padEnd(50), result)
}
console.log(found, "of", n, all)
