import path from "node:path"
import { parseSync } from "vite"

/** A name that a module imports directly, not as a member of a namespace, and the module that exports it. */
export interface NamedImport {
  readonly from: string
  readonly name: string
}

/** Names that many modules export with the same meaning, such as `make` for the constructor of a service. */
export const repeatedNames: ReadonlySet<string> = new Set(["layer", "make", "laws", "suite", "migration"])

/** Packages whose exported names may mean something else in other packages. They do not import core. */
const apart: ReadonlySet<string> = new Set(["client", "consent-kit", "verifier"])

/**
 * Returns the source file that a specifier names. Returns undefined for a module outside the workspace, for a
 * package's main entry, and for `@surety/embed/effect`.
 */
const sourceOf = (file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, ".ts")
  }
  const [, name, module] = /^@surety\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  // This entry only re-exports names of other modules, so they do not count as its own.
  if (name === "embed" && module === "effect") return undefined
  return name === undefined ? undefined : `packages/${name}/src/${module}.ts`
}

/** Returns the names that a file imports directly from sources of the workspace's packages. */
export const namedImports = (file: string, source: string): ReadonlyArray<NamedImport> =>
  parseSync(file, source).module.staticImports.flatMap(({ entries, moduleRequest }) => {
    const from = sourceOf(file, moduleRequest.value)
    if (from === undefined || !/^packages\/[^/]+\/src\//.test(from)) return []
    return entries.flatMap(({ importName: { kind, name } }) =>
      kind === "Name" && typeof name === "string" ? [{ from, name }] : []
    )
  })

/** Returns the vocabulary of a file's package. Each package in `apart` has its own, and all others share one. */
const vocabularyOf = (file: string): string => {
  const name = file.split("/")[1] ?? ""
  return apart.has(name) ? name : ""
}

/**
 * Returns each name that is imported directly from several modules of one vocabulary, with these modules. Each name
 * should have one meaning. `repeatedNames` are exempt.
 */
export const nameViolations = (imports: ReadonlyArray<NamedImport>): ReadonlyArray<string> =>
  [...Map.groupBy(imports, ({ from, name }) => `${vocabularyOf(from)}#${name}`)].flatMap(([, same]) => {
    const modules = [...new Set(same.map(({ from }) => from))].toSorted()
    const name = same[0]?.name ?? ""
    return modules.length < 2 || repeatedNames.has(name) ? [] : [`${name}: ${modules.join(", ")}`]
  })
