// node packages/verifier/bench/verifier.bench.ts [--quick]
//
// Compares the built verifier with other libraries and prints a JSON report. The report has operations per second of
// processor time for bodies of 1 KiB and 64 KiB, as bytes and strings.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { bodyOf } from "./bodies.ts"
import { type Measured, measurePair, type Pace } from "./measure.ts"
import { assertSound, type Pair, pairsFor } from "./pairs.ts"

const calm: Pace = { rounds: 21, roundMillis: 60, warmUpMillis: 300 }
const quick: Pace = { rounds: 7, roundMillis: 30, warmUpMillis: 100 }

interface Line extends Measured, Pick<Pair, "other" | "does"> {
  readonly body: string
  readonly goal: number | undefined
  readonly isMet: boolean
}

const { values } = parseArgs({
  options: { quick: { type: "boolean" } }
})
const pace = values.quick === true ? quick : calm

const lines: Array<Line> = []
for (const bytes of [1024, 65_536]) {
  const text = bodyOf(bytes)
  for (const [form, given] of [["bytes", Buffer.from(text)] as const, ["string", text] as const]) {
    const body = `${bytes / 1024} KiB, ${form}`
    console.error(`Measuring ${body}`)
    // Signs again for each body and form, so that no signature reaches its age limit of five minutes.
    const pairs = await pairsFor(text)
    await assertSound(pairs, text)
    for (const pair of pairs) {
      const { does, goal, other } = pair
      const measured = await measurePair(pair, given, pace)
      lines.push({ body, other, does, ...measured, goal, isMet: measured.ratio >= (goal ?? 0) })
    }
  }
}

// Reads a package's version from the manifest file, since not every package exports its manifest.
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version
const versions = Object.fromEntries(["standardwebhooks", "svix", "stripe"].map((name) => [name, versionOf(name)]))

const goals = lines.flatMap(({ body, goal, isMet, other, ratio }) =>
  goal === undefined
    ? []
    : [{ what: `${body}: verifier / ${other}`, goal: `≥ ${goal}`, measured: ratio.toFixed(2), isMet }]
)

const verifier = {
  versions,
  settings: { rounds: pace.rounds, roundMillis: pace.roundMillis },
  lines: lines.map(({ body, does, leastRatio, mostRatio, other, ours, ratio, theirs }) => ({
    body,
    other,
    does,
    oursPerSecond: ours,
    theirsPerSecond: theirs,
    ratio,
    leastRatio,
    mostRatio
  })),
  goals,
  figures: {},
  rounds: []
}

console.log(JSON.stringify({ verifier }))
