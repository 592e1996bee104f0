// node scripts/build.ts [--if-stale] [--js] [package…]
//
// Builds the named packages with their dependencies, or all packages if none is named. `--if-stale` skips JavaScript
// that is up to date. `--js` skips the declarations, and with them the type check.
import { execFile, spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import path from "node:path"
import { parseArgs, promisify } from "node:util"
import { filesBelow, inDependencyOrder, type Package, readPackages, root, sources } from "./packages.ts"
import { publishTypes } from "./publishTypes.ts"
import { fingerprint, forget, isFresh, remember } from "./stamp.ts"

const run = promisify(execFile)

const toolPath = (name: string, file: string): string => path.join(root, "node_modules", name, file)

const buildJavaScript = async (pkg: Package, current: string): Promise<void> => {
  const startedAt = performance.now()
  forget(pkg)
  await run(process.execPath, [toolPath("tsup", "dist/cli-default.js"), "--silent"], { cwd: pkg.directory }).catch(
    (failure: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`Building ${pkg.name} failed\n${failure.stdout}${failure.stderr}`)
    }
  )
  remember(pkg, current)
  console.log(`built ${pkg.name} in ${Math.round(performance.now() - startedAt)} ms`)
}

// Forces a rebuild if declarations are missing, since `tsc -b` trusts its build information and does not check for
// them.
const forgetLostDeclarations = ({ directory }: Package): void => {
  const lost = sources(directory).some((file) => !existsSync(path.join(directory, "dist", file.replace(/ts$/, "d.ts"))))
  if (!lost) return
  for (const name of ["src", "cli"]) rmSync(path.join(directory, "dist", `${name}.tsbuildinfo`), { force: true })
}

const removeOrphanedDeclarations = ({ directory }: Package): void => {
  const dist = path.join(directory, "dist")
  for (const file of filesBelow(dist)) {
    const source = /^(?<module>.+)\.d\.ts(\.map)?$/.exec(file)?.groups?.module
    if (source !== undefined && !existsSync(path.join(directory, "src", `${source}.ts`))) rmSync(path.join(dist, file))
  }
}

/**
 * Arguments for TypeScript's compiler in build mode, which builds up to four projects in parallel. A second checker per
 * project would check the shared types again, at the cost of 50 % more processor time.
 */
export const buildArguments: ReadonlyArray<string> = ["-b", "--checkers", "1"]

/**
 * Returns the projects that emit declarations. A package's command has its own project, since it may use Node-only
 * features.
 */
const projectsOf = ({ directory }: Package): ReadonlyArray<string> =>
  ["tsconfig.src.json", "tsconfig.cli.json"]
    .map((file) => path.join(directory, file))
    .filter((file) => existsSync(file))

const buildDeclarations = (packages: ReadonlyArray<Package>): void => {
  for (const pkg of packages) {
    removeOrphanedDeclarations(pkg)
    forgetLostDeclarations(pkg)
  }
  const projects = packages.flatMap(projectsOf)
  const { status } = spawnSync(process.execPath, [toolPath("typescript", "bin/tsc"), ...buildArguments, ...projects], {
    cwd: root,
    stdio: "inherit"
  })
  if (status !== 0) throw new Error("The declarations could not be built")
}

/**
 * Options of `build`. `only` names the packages (default: all). `ifStale` skips JavaScript that is up to date (default:
 * false). `declarations` builds declarations too (default: true).
 */
export interface BuildOptions {
  readonly only?: ReadonlyArray<string>
  readonly ifStale?: boolean
  readonly declarations?: boolean
}

/**
 * Builds packages and their dependencies, dependencies first. Rejects if a package is unknown or a build fails. The
 * error contains tsup's output, whereas the compiler prints its own errors.
 */
export const build = async ({ only = [], ifStale = false, declarations = true }: BuildOptions): Promise<void> => {
  const packages = inDependencyOrder(readPackages(), only)
  const fingerprints = new Map<string, string>()
  const builds = new Map<string, Promise<void>>()
  for (const pkg of packages) {
    const current = fingerprint(
      pkg,
      pkg.dependencies.map((name) => fingerprints.get(name) ?? "")
    )
    fingerprints.set(pkg.name, current)
    if (ifStale && isFresh(pkg, current)) continue
    const dependencies = Promise.all(pkg.dependencies.map((name) => builds.get(name)))
    builds.set(
      pkg.name,
      dependencies.then(() => buildJavaScript(pkg, current))
    )
  }
  await Promise.all(builds.values())
  if (!declarations) return
  buildDeclarations(packages)
  if (packages.some(({ name }) => name === "embed")) publishTypes()
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { "if-stale": { type: "boolean" }, js: { type: "boolean" } },
    allowPositionals: true
  })
  await build({ only: positionals, ifStale: values["if-stale"] === true, declarations: values.js !== true }).catch(
    (failure: Error) => {
      console.error(failure.message)
      process.exitCode = 1
    }
  )
}
