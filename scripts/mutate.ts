// node scripts/mutate.ts [scope…] [--file glob,glob…] [--fresh]
//
// Makes one change at a time to the sources of each scope (`scripts/mutation/scopes.ts`; all by default) and runs the
// scope's tests on it. Fails if fewer than 95 % of a scope's changes make a test fail or time out. Also fails if a
// surviving change is missing from `scripts/mutation/survivors.json`. That file states why each listed change has no
// effect on behaviour. `--file` names the files to change instead of the scope's. A later run tries only survivors, and
// changes whose source or tests have changed. `--fresh` repeats everything.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { scopes } from "./mutation/scopes.ts"
import { root } from "./packages.ts"

const leastScore = 95

/**
 * A change that no test can detect. `line` is the text of the line where it begins, without indentation. A line number
 * would change with every edit above it.
 */
interface Survivor {
  readonly file: string
  readonly line: string
  readonly original: string
  readonly replacement: string
  /** Why the change has no effect on behaviour. */
  readonly reason: string
}

const survivors: ReadonlyArray<Survivor> = JSON.parse(
  readFileSync(path.join(root, "scripts/mutation/survivors.json"), "utf8")
)

const cache = path.join("node_modules", ".cache", "mutation")
mkdirSync(path.join(root, cache), { recursive: true })
process.chdir(root)

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number]

/** Returns the first line of the changed code, and the part of that line that the change replaces. */
const codeAt = ({
  fileName,
  location: { start, end }
}: Mutant): { readonly line: string; readonly original: string } => {
  const lines = readFileSync(fileName, "utf8").split("\n")
  const line = lines[start.line - 1] ?? ""
  return {
    line: line.trim(),
    original: line.slice(start.column - 1, start.line === end.line ? end.column - 1 : line.length)
  }
}

const args = process.argv.slice(2).filter((argument) => argument !== "--")
const freshAt = args.indexOf("--fresh")
if (freshAt >= 0) args.splice(freshAt, 1)
const fileAt = args.indexOf("--file")
const onlyFiles = fileAt < 0 ? undefined : args.splice(fileAt, 2)[1]
const unknown = args.filter((name) => !(name in scopes))
if (unknown.length > 0) {
  console.error(`Unknown scope ${unknown.join(", ")}. Expected ${Object.keys(scopes).join(", ")}.`)
  process.exit(2)
}

/** The fields that this script uses from Stryker's report of a run. */
interface Kept {
  readonly files: Record<string, { mutants: ReadonlyArray<{ readonly status: string }> }>
}

/**
 * Removes all results of the last run except detected changes, so that Stryker tries survivors again. Stryker itself
 * retries a survivor only if new tests cover it. It misses coverage of code that runs while its module loads.
 */
const forgetSurvivors = (file: string): void => {
  if (!existsSync(file)) return
  const kept: Kept = JSON.parse(readFileSync(file, "utf8"))
  for (const each of Object.values(kept.files)) {
    each.mutants = each.mutants.filter(({ status }) => status === "Killed" || status === "Timeout")
  }
  writeFileSync(file, JSON.stringify(kept))
}

type Options = NonNullable<ConstructorParameters<typeof Stryker>[0]>

const run = (options: Options): Promise<Array<Mutant>> =>
  new Stryker({
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutation/vitest.config.ts", related: false },
    plugins: [
      "@stryker-mutator/vitest-runner",
      path.join(root, "scripts/mutation/noise.ts"),
      path.join(root, "scripts/mutation/early.ts")
    ],
    ignorers: ["noise"],
    checkers: [],
    // Deliberately names a missing file. To rewrite a `tsconfig` file, Stryker would need TypeScript 5's API, and
    // Vitest reads none.
    tsconfigFile: "none.json",
    coverageAnalysis: "perTest",
    concurrency: 1,
    tempDirName: ".stryker-tmp",
    ignorePatterns: ["dist", "/docs", "/deploy", "/examples", "/tests", "bench", ".changeset"],
    reporters: ["progress-append-only", "early"],
    timeoutMS: 15_000,
    logLevel: "error",
    ...options
  } as Options).runMutationTest()

const isAlive = ({ status }: Mutant): boolean => status === "Survived" || status === "NoCoverage"
const isDead = ({ status }: Mutant): boolean => status === "Killed" || status === "Timeout"

const identityOf = ({ fileName, location: { end, start }, replacement }: Mutant): string =>
  JSON.stringify([path.relative(root, fileName), start.line, start.column, end.line, end.column, replacement])

/** Returns a range in Stryker's format, with lines from 1 and columns from 0. */
const rangeOf = ({ fileName, location: { end, start } }: Mutant): string =>
  `${path.relative(root, fileName)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`

/**
 * Tries the first run's survivors again, on every test of the scope, and returns those that still survive. The first
 * run tries a change only on the tests that executed its location. A layer that tests share is built before them.
 * Stryker may therefore count the layer's code as executed by no test, or only by an unrelated one.
 */
const confirmed = async (alive: ReadonlyArray<Mutant>): Promise<ReadonlyArray<Mutant>> => {
  if (alive.length === 0) return alive
  console.log(`Trying ${alive.length} survivors on every test`)
  process.env.MUTATION_EVERY_TEST = "on"
  const tried = await run({ mutate: [...new Set(alive.map(rangeOf))] })
  delete process.env.MUTATION_EVERY_TEST
  const noticed = new Set(tried.filter(isDead).map(identityOf))
  return alive.filter((mutant) => !noticed.has(identityOf(mutant)))
}

/** Runs one scope and returns true if it passed. */
const mutate = async (name: string): Promise<boolean> => {
  const scope = scopes[name]
  if (scope === undefined) return false
  const incrementalFile = path.join(cache, `${name}.json`)
  forgetSurvivors(incrementalFile)
  process.env.MUTATION_TESTS = JSON.stringify({ include: scope.tests, exclude: scope.exclude ?? [] })
  const results = await run({
    mutate: onlyFiles === undefined ? [...scope.mutate] : onlyFiles.split(","),
    incremental: true,
    force: freshAt >= 0,
    incrementalFile
  })

  const unnoticed = results.filter(isAlive)
  const alive = await confirmed(unnoticed)
  const dead = results.filter(isDead).length + unnoticed.length - alive.length
  const total = dead + alive.length
  if (total === 0) {
    console.error(`${name}: nothing was mutated; check the paths`)
    return false
  }
  const score = (100 * dead) / total
  const found = alive.map((mutant) => ({
    file: path.relative(root, mutant.fileName),
    ...codeAt(mutant),
    replacement: mutant.replacement ?? "",
    at: mutant.location.start.line,
    status: mutant.status
  }))
  const isListed = ({ file, line, original, replacement }: (typeof found)[number]): boolean =>
    survivors.some(
      (each) =>
        each.file === file && each.line === line && each.original === original && each.replacement === replacement
    )
  const unlisted = found.filter((each) => !isListed(each))
  for (const { at, file, line, original, replacement, status } of unlisted) {
    console.log(JSON.stringify({ file, at, status, line, original, replacement }, null, 2))
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
