// node scripts/lighthouse.ts [base address] [path…]
//
// Measures pages of a running server with Lighthouse, which emulates a phone in the machine's Chromium. Fails if a
// score is below 95. `CHROME_PATH` names the browser if it is not in Debian's location.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { root } from "./packages.ts"

const leastScore = 95
const [base = "http://127.0.0.1:3000", ...given] = process.argv.slice(2).filter((argument) => argument !== "--")
const paths = given.length > 0 ? given : ["/", "/docs", "/docs/quick-start", "/docs/refunds", "/docs/errors"]

interface Report {
  readonly categories: Readonly<Record<string, { readonly title: string; readonly score: number }>>
  readonly audits: Readonly<Record<string, { readonly title: string; readonly score: number | null }>>
}

const command = path.join(root, "node_modules/lighthouse/cli/index.js")
const directory = mkdtempSync(path.join(tmpdir(), "surety-lighthouse-"))
const file = path.join(directory, "report.json")
const flags = [
  "--quiet",
  "--output=json",
  `--output-path=${file}`,
  "--chrome-flags=--headless --no-sandbox --disable-dev-shm-usage"
]

let isLow = false
for (const page of paths) {
  execFileSync(process.execPath, [command, `${base}${page}`, ...flags], {
    stdio: "inherit",
    env: { CHROME_PATH: "/usr/bin/chromium", ...process.env }
  })
  const report: Report = JSON.parse(readFileSync(file, "utf8"))
  const scores = Object.values(report.categories).map(({ score, title }) => ({ title, score: Math.round(score * 100) }))
  console.log(`${page}: ${scores.map(({ score, title }) => `${title} ${score}`).join(", ")}`)
  if (scores.some(({ score }) => score < leastScore)) {
    isLow = true
    for (const { score, title } of Object.values(report.audits)) {
      if (score !== null && score < 0.9) console.log(`  ${title}: ${score}`)
    }
  }
}
rmSync(directory, { recursive: true, force: true })
process.exitCode = isLow ? 1 : 0
