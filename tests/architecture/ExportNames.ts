import path from "node:path"
import { parseSync } from "vite"

/** A name that a module imports alone, not as a member of a namespace, and the module that exports it. */
export interface NamedImport {
  readonly from: string
  readonly name: string
}

/** Names that many modules export in one sense: what a service, a test suite or a migration is made by. */
export const repeatedNames: ReadonlySet<string> = new Set(["layer", "make", "laws", "suite", "migration"])

/** Packages that mirror the interface in words of their own and share no types with the others. */
const apart: ReadonlySet<string> = new Set(["client", "consent-kit", "verifier"])

/** The source file that a specifier names; undefined for a module outside the workspace. */
const sourceOf = (file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, ".ts")
  }
  const [, name, module] = /^@surety\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  // An entry that re-exports another's names.
  if (name === "embed" && module === "effect") return undefined
  return name === undefined ? undefined : `packages/${name}/src/${module}.ts`
}

/** The names that a file imports alone from source files of the workspace. */
export const namedImports = (file: string, source: string): ReadonlyArray<NamedImport> =>
  parseSync(file, source).module.staticImports.flatMap(({ entries, moduleRequest }) => {
    const from = sourceOf(file, moduleRequest.value)
    if (from === undefined || !/^packages\/[^/]+\/src\//.test(from)) return []
    return entries.flatMap(({ importName: { kind, name } }) =>
      kind === "Name" && typeof name === "string" ? [{ from, name }] : []
    )
  })

/** Packages whose names may appear in one import list share a vocabulary. */
const vocabularyOf = (file: string): string => {
  const name = file.split("/")[1] ?? ""
  return apart.has(name) ? name : ""
}

/** Names that are imported alone from two modules or more of one vocabulary: each should mean one thing. */
export const nameViolations = (imports: ReadonlyArray<NamedImport>): ReadonlyArray<string> =>
  [...Map.groupBy(imports, ({ from, name }) => `${vocabularyOf(from)}#${name}`)].flatMap(([, same]) => {
    const modules = [...new Set(same.map(({ from }) => from))].toSorted()
    const name = same[0]?.name ?? ""
    return modules.length < 2 || repeatedNames.has(name) ? [] : [`${name}: ${modules.join(", ")}`]
  })
