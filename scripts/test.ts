// node scripts/test.ts [--whole | vitest argument…]
//
// Checks format, lint and types, builds, and runs the tests: all of them with `--whole`, otherwise all but the
// rehearsals. With Vitest arguments, it only builds and runs Vitest with them: `npx pnpm test packages/core`, `npx pnpm
// test -t "refund"`. The last line is `N passed, N failed`, followed by the number of skipped tests, if any. A failed
// check or build counts as one failure. If only a few files fail in a run without Vitest arguments, they may be rerun
// once on their own (`filesToRunAgain`). If the rerun passes, they are listed and count as passed.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { report as reportLeftOut } from "../packages/testing/src/machine/LeftOut.ts"
import { build, buildArguments } from "./build.ts"
import { root } from "./packages.ts"
import { leftOutLine, rehearsals } from "./rehearsals.ts"
import { type Count, closingLine, countReport, errorsOutsideTests, filesToRunAgain, type Report } from "./report.ts"

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

const step = async (title: string, run: () => boolean | Promise<boolean>): Promise<boolean> => {
  console.log(`\n── ${title}`)
  const startedAt = performance.now()
  const succeeded = await run()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`── ${title}: ${succeeded ? "passed" : "FAILED"} in ${seconds} s`)
  return succeeded
}

interface TestRun {
  readonly count: Count
  /** Undefined if the run ended before writing it. */
  readonly report: Report | undefined
  /** Number of errors outside all tests. Undefined if the run ended before writing its reports. */
  readonly errorsOutside: number | undefined
}

const runTests = async (title: string, args: ReadonlyArray<string>): Promise<TestRun> => {
  const directory = mkdtempSync(path.join(tmpdir(), "surety-report-"))
  const reportFile = path.join(directory, "report.json")
  const junitFile = path.join(directory, "junit.xml")
  const outputs = [`--outputFile.json=${reportFile}`, `--outputFile.junit=${junitFile}`]
  const reporting = ["--reporter=default", "--reporter=json", "--reporter=junit", ...outputs]
  const succeeded = await step(title, () =>
    succeeds("vitest", "vitest.mjs", ["run", "--config", "vitest.workspace.ts", ...reporting, ...args])
  )
  const report: Report | undefined = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined
  const errorsOutside = existsSync(junitFile) ? errorsOutsideTests(readFileSync(junitFile, "utf8")) : undefined
  rmSync(directory, { recursive: true })
  return {
    count: report ? countReport(report, succeeded) : { passed: 0, failed: succeeded ? 0 : 1, skipped: 0 },
    report,
    errorsOutside
  }
}

/**
 * Reruns, on their own, the failed files that `filesToRunAgain` selects, if any. If all of them then pass, returns the
 * run's count with the failures counted as passed. Otherwise returns the run's count unchanged.
 */
const runAgain = async ({ count, errorsOutside, report }: TestRun): Promise<Count> => {
  const files = report && errorsOutside !== undefined ? filesToRunAgain(report, errorsOutside) : []
  if (count.failed === 0 || files.length === 0) return count
  const again = await runTests("tests that failed, alone", ["--maxWorkers=1", ...files])
  if (again.count.failed > 0) return count
  console.log("\nPASSED ONLY ALONE: fix their dependence on a quiet machine (the failures stand above)")
  for (const file of files) console.log(`  ${path.relative(root, file)}`)
  return { ...count, passed: count.passed + count.failed, failed: 0 }
}

const given = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")
const isWhole = given.includes("--whole")
const args = given.filter((argument) => argument !== "--whole")
const isQuick = args.length === 0 && !isWhole
const checks =
  args.length > 0
    ? []
    : [
        await step("format and lint", () =>
          succeeds("@biomejs/biome", "bin/biome", ["check", "--error-on-warnings", "."])
        ),
        await step("types", () => succeeds("typescript", "bin/tsc", buildArguments))
      ]
checks.push(await step("build", builds))
const run = await runTests("tests", isQuick ? rehearsals.map((file) => `--exclude=${file}`) : args)
const tests = args.length > 0 ? run.count : await runAgain(run)
const failed = tests.failed + checks.filter((passed) => !passed).length
process.exitCode = failed > 0 ? 1 : 0
for (const line of [...(isQuick ? [leftOutLine] : []), ...reportLeftOut(process.env)]) console.log(`\n${line}`)
console.log(`\n${closingLine({ ...tests, failed })}`)
