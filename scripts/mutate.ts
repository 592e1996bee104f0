// node scripts/mutate.ts [scope…] [--file glob,glob…]
//
// Changes the sources of each scope (`scripts/mutation/scopes.ts`; all unless named) one place at a time and runs the
// scope's tests on each change. Fails if fewer than 95 % of the changes make a test fail, or if a change survives that
// `scripts/mutation/survivors.json` does not list with the reason it changes no behaviour. A second run repeats only
// what sources or tests have changed since.
import { mkdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { scopes } from "./mutation/scopes.ts"
import { root } from "./packages.ts"

const leastScore = 95

/** A change that no test can notice. `code` is the trimmed line it starts in, so that other lines may move. */
interface Survivor {
  readonly file: string
  readonly code: string
  readonly replacement: string
  readonly reason: string
}

const survivors: ReadonlyArray<Survivor> = JSON.parse(
  readFileSync(path.join(root, "scripts/mutation/survivors.json"), "utf8")
)

const cache = path.join("node_modules", ".cache", "mutation")
mkdirSync(path.join(root, cache), { recursive: true })
process.chdir(root)

const lineOf = (file: string, line: number): string => readFileSync(file, "utf8").split("\n")[line - 1]?.trim() ?? ""

const args = process.argv.slice(2).filter((argument) => argument !== "--")
const fileAt = args.indexOf("--file")
const onlyFiles = fileAt < 0 ? undefined : args.splice(fileAt, 2)[1]
const unknown = args.filter((name) => !(name in scopes))
if (unknown.length > 0) {
  console.error(`Unknown scope ${unknown.join(", ")}. Expected ${Object.keys(scopes).join(", ")}.`)
  process.exit(2)
}

/** Runs one scope; returns whether it passed. */
const mutate = async (name: string): Promise<boolean> => {
  const scope = scopes[name]
  if (scope === undefined) return false
  process.env.MUTATION_TESTS = scope.tests.join(",")
  const results = await new Stryker({
    mutate: onlyFiles === undefined ? [...scope.mutate] : onlyFiles.split(","),
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutation/vitest.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner", path.join(root, "scripts/mutation/noise.ts")],
    ignorers: ["noise"],
    checkers: [],
    // Rewriting it needs TypeScript 5's interface; Vitest reads none.
    tsconfigFile: "none.json",
    coverageAnalysis: "perTest",
    concurrency: 1,
    incremental: true,
    incrementalFile: path.join(cache, `${name}.json`),
    tempDirName: ".stryker-tmp",
    ignorePatterns: ["dist", "/docs", "/deploy", "/examples", "/tests", "bench", ".changeset"],
    reporters: ["progress-append-only"],
    timeoutMS: 10_000,
    logLevel: "warn"
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest()

  const alive = results.filter(({ status }) => status === "Survived" || status === "NoCoverage")
  const dead = results.filter(({ status }) => status === "Killed" || status === "Timeout").length
  const total = dead + alive.length
  const score = total === 0 ? 100 : (100 * dead) / total
  const unlisted = alive.filter(({ fileName, location, replacement }) => {
    const file = path.relative(root, fileName)
    const code = lineOf(fileName, location.start.line)
    return !survivors.some((each) => each.file === file && each.code === code && each.replacement === replacement)
  })
  for (const { fileName, location, mutatorName, replacement, status } of unlisted) {
    const where = `${path.relative(root, fileName)}:${location.start.line}:${location.start.column}`
    console.log(`${status} ${mutatorName} ${where}\n  ${lineOf(fileName, location.start.line)}\n  → ${replacement}`)
  }
  console.log(
    `${name}: ${score.toFixed(1)} % (${dead} of ${total} noticed; ${alive.length - unlisted.length} listed, ${unlisted.length} not)`
  )
  return score >= leastScore && unlisted.length === 0
}

const failed: Array<string> = []
for (const name of args.length > 0 ? args : Object.keys(scopes)) if (!(await mutate(name))) failed.push(name)
if (failed.length > 0) {
  console.error(`Below ${leastScore} %, or survivors that are not listed: ${failed.join(", ")}`)
  process.exitCode = 1
}
