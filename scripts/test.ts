// node scripts/test.ts [vitest argument…]
//
// Checks format and lint, types and the build, and runs every test. With arguments it only runs Vitest with them, on a
// fresh build: `npx pnpm test packages/core`, `npx pnpm test -t "refund"`. The last line is `N passed, N failed`, in
// which a check that failed counts as one.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { report } from "../packages/testing/src/machine/LeftOut.ts"
import { build } from "./build.ts"
import { root } from "./packages.ts"
import { type Count, closingLine, countReport } from "./report.ts"

const succeeds = (tool: string, file: string, args: ReadonlyArray<string>): boolean =>
  spawnSync(process.execPath, [path.join(root, "node_modules", tool, file), ...args], { cwd: root, stdio: "inherit" })
    .status === 0

const builds = (): Promise<boolean> =>
  build({ ifStale: true, declarations: false }).then(
    () => true,
    (failure: Error) => {
      console.error(failure.message)
      return false
    }
  )

/** Whether the step succeeded. Prints how long it took. */
const step = async (title: string, run: () => boolean | Promise<boolean>): Promise<boolean> => {
  console.log(`\n── ${title}`)
  const startedAt = performance.now()
  const succeeded = await run()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`── ${title}: ${succeeded ? "passed" : "FAILED"} in ${seconds} s`)
  return succeeded
}

const runTests = async (args: ReadonlyArray<string>): Promise<Count> => {
  const directory = mkdtempSync(path.join(tmpdir(), "surety-report-"))
  const reportFile = path.join(directory, "report.json")
  const reporting = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`]
  const succeeded = await step("tests", () =>
    succeeds("vitest", "vitest.mjs", ["run", "--config", "vitest.workspace.ts", ...reporting, ...args])
  )
  const count = existsSync(reportFile)
    ? countReport(JSON.parse(readFileSync(reportFile, "utf8")), succeeded)
    : { passed: 0, failed: succeeded ? 0 : 1, skipped: 0 }
  rmSync(directory, { recursive: true })
  return count
}

const args = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")
const checks =
  args.length > 0
    ? []
    : [
        await step("format and lint", () =>
          succeeds("@biomejs/biome", "bin/biome", ["check", "--error-on-warnings", "."])
        ),
        await step("types", () => succeeds("typescript", "bin/tsc", ["-b"]))
      ]
checks.push(await step("build", builds))
const tests = await runTests(args)
const failed = tests.failed + checks.filter((passed) => !passed).length
process.exitCode = failed > 0 ? 1 : 0
for (const line of report(process.env)) console.log(`\n${line}`)
console.log(`\n${closingLine({ ...tests, failed })}`)
