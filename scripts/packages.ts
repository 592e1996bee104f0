import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"

export const root = path.resolve(import.meta.dirname, "..")

/** A workspace package that is built: it has a `tsup.config.ts` and sources. */
export interface Package {
  /** Name of the package's directory, which is also the package's name without its scope. */
  readonly name: string
  readonly directory: string
  /** Names of the workspace packages that this package imports at run time or bundles. */
  readonly dependencies: ReadonlyArray<string>
}

const walk = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(directory, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : walk(place)
    return entry.isFile() ? [place] : []
  })

/**
 * Returns the files below a directory, as sorted paths relative to it, or none if it does not exist. Skips
 * `node_modules` and symbolic links.
 */
export const filesBelow = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? walk(directory)
        .map((file) => path.relative(directory, file))
        .sort()
    : []

/** Returns a package's TypeScript sources, relative to its `src`. */
export const sources = (directory: string): ReadonlyArray<string> =>
  filesBelow(path.join(directory, "src")).filter((file) => file.endsWith(".ts"))

const readManifest = (directory: string): Record<string, Record<string, string> | undefined> =>
  JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"))

const isBuilt = (directory: string): boolean =>
  existsSync(path.join(directory, "tsup.config.ts")) && sources(directory).length > 0

/**
 * Packages that bundle other packages of the workspace. The bundled packages are therefore development dependencies.
 * Each entry lists the workspace packages that are development dependencies only for tests, and thus not bundled.
 */
const testOnly: Readonly<Record<string, ReadonlyArray<string>>> = {
  embed: ["@surety/testing"],
  server: ["@surety/embed", "@surety/testing", "@surety/verifier"]
}

const runtimeDependencies = (directory: string): ReadonlyArray<string> => {
  const { dependencies, devDependencies, peerDependencies } = readManifest(directory)
  const ofTests = testOnly[path.basename(directory)]
  const contained = Object.entries(devDependencies ?? {}).filter(([name]) => ofTests?.includes(name) === false)
  return Object.entries({ ...dependencies, ...peerDependencies, ...Object.fromEntries(contained) })
    .filter(([, range]) => range.startsWith("workspace:"))
    .map(([name]) => name.replace(/^@[^/]+\//, ""))
}

export const readPackages = (): ReadonlyMap<string, Package> =>
  new Map(
    readdirSync(path.join(root, "packages"))
      .map((name) => ({ name, directory: path.join(root, "packages", name) }))
      .filter(({ directory }) => isBuilt(directory))
      .map(({ name, directory }) => [name, { name, directory, dependencies: runtimeDependencies(directory) }])
  )

/**
 * Returns the named packages and everything they depend on, each after its dependencies. Returns every package if no
 * name is given. Throws for an unknown name.
 */
export const inDependencyOrder = (
  packages: ReadonlyMap<string, Package>,
  names: ReadonlyArray<string>
): ReadonlyArray<Package> => {
  const ordered = new Map<string, Package>()
  const visit = (name: string): void => {
    const found = packages.get(name)
    if (found === undefined) throw new Error(`There is no package "${name}" to build`)
    if (ordered.has(name)) return
    for (const dependency of found.dependencies) if (packages.has(dependency)) visit(dependency)
    ordered.set(name, found)
  }
  for (const name of names.length > 0 ? names : packages.keys()) visit(name)
  return [...ordered.values()]
}
