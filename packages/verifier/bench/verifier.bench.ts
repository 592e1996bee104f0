// node packages/verifier/bench/verifier.bench.ts [--quick] [--json]
//
// Measures the verifier, as it is built, against other senders' libraries: operations per second of processor
// time, for bodies of 1 KB and 64 KB, given as the bytes that frameworks hand over and as text.
import { readFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { bodyOf } from "./bodies.ts"
import { type Measured, measurePair, type Pace } from "./measure.ts"
import { assertSound, type Pair, pairsFor } from "./pairs.ts"

const calm: Pace = { rounds: 21, roundMillis: 60, warmUpMillis: 300 }
const quick: Pace = { rounds: 7, roundMillis: 30, warmUpMillis: 100 }

interface Line extends Measured, Pick<Pair, "other" | "does"> {
  readonly bytes: number
  readonly form: string
  readonly goal: number | undefined
  readonly isMet: boolean
}

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" } },
  allowPositionals: true
})
const pace = values.quick === true ? quick : calm

const lines: Array<Line> = []
for (const bytes of [1024, 65_536]) {
  const text = bodyOf(bytes)
  const pairs = await pairsFor(text)
  await assertSound(pairs, text)
  for (const [form, body] of [["bytes", Buffer.from(text)] as const, ["text", text] as const]) {
    console.error(`Measuring ${bytes} bytes as ${form}`)
    for (const pair of pairs) {
      const { does, goal, other } = pair
      const measured = await measurePair(pair, body, pace)
      lines.push({ bytes, form, other, does, ...measured, goal, isMet: measured.ratio >= (goal ?? 0) })
    }
  }
}

// Read as a file: not every package lets its manifest be imported.
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version
const surroundings = {
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  versions: {
    Node: process.versions.node,
    ...Object.fromEntries(["standardwebhooks", "svix", "stripe"].map((name) => [name, versionOf(name)]))
  },
  pace
}

const count = (perSecond: number): string => Math.round(perSecond).toLocaleString("en").padStart(9)
const toText = (line: Line): string => {
  const spread = `${line.leastRatio.toFixed(2)} to ${line.mostRatio.toFixed(2)}`
  const goal = line.goal === undefined ? "" : `${line.isMet ? "met" : "MISSED"}: ≥ ${line.goal}`
  const columns = [line.other.padEnd(23), count(line.ours), count(line.theirs), line.ratio.toFixed(2).padStart(7)]
  return [...columns, spread.padEnd(15), goal.padEnd(14), line.does].join("  ")
}

const report = (): string => {
  const head = [
    "against".padEnd(23),
    "     ours",
    "   theirs",
    "  ratio",
    "of rounds".padEnd(15),
    "goal".padEnd(14),
    "both do"
  ]
  const sections = Map.groupBy(
    lines,
    ({ bytes, form }) => `${bytes} bytes, given as ${form}; operations per second of processor time`
  )
  return [
    `${surroundings.machine}; ${Object.entries(surroundings.versions).flat().join(" ")}`,
    `Medians of ${pace.rounds} alternating rounds of ${pace.roundMillis} ms`,
    ...[...sections].flatMap(([title, section]) => ["", title, head.join("  "), ...section.map(toText)])
  ].join("\n")
}

console.log(values.json === true ? JSON.stringify({ surroundings, lines }, null, 2) : report())
