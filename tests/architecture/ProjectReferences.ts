import path from "node:path"
import { parseSync } from "vite"

interface ImportingFile {
  readonly path: string
  readonly imports: ReadonlyArray<string>
}

/** Reads a file's imports without walking its syntax tree, which takes most of `SourceModule.parse`'s time. */
export const importsOf = (path: string, source: string): ImportingFile => {
  const { staticExports, staticImports } = parseSync(path, source).module
  const exported = staticExports.flatMap(({ entries }) =>
    entries.map(({ moduleRequest }) => moduleRequest?.value ?? "")
  )
  const called = [...source.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, specifier = ""]) => specifier)
  return { path, imports: [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported, ...called] }
}

/** A `tsconfig` file that names sources. Paths are from the workspace's root. */
export interface Project {
  readonly path: string
  /** Folders and globs to compile. */
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly references: ReadonlyArray<string>
  /** True if the project writes declarations, which others can read instead of its sources. */
  readonly emits: boolean
}

const includes = ({ exclude, include }: Pick<Project, "include" | "exclude">, file: string): boolean =>
  include.some((one) => (one.includes("*") ? path.matchesGlob(file, one) : file.startsWith(`${one}/`))) &&
  !exclude.some((one) => file.startsWith(`${one}/`))

/**
 * Returns the workspace file that a specifier names, if any. If a package has no file of that name, returns any of its
 * sources instead.
 */
const resolve = (from: string, specifier: string, known: ReadonlyMap<string, ImportingFile>): string | undefined => {
  const [, name, rest] = /^@surety\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  const target = specifier.startsWith(".")
    ? path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, ".ts")
    : `packages/${name}/src/${rest ?? "index"}.ts`
  if (known.has(target)) return target
  return name === undefined ? undefined : [...known.keys()].find((file) => file.startsWith(`packages/${name}/src/`))
}

/**
 * Returns, as `project: other`, each project that compiles another project's sources without a direct or indirect
 * reference to it. Each such project makes the compiler check those sources again.
 */
export const compiledTwice = (
  projects: ReadonlyArray<Project>,
  modules: ReadonlyArray<ImportingFile>
): ReadonlyArray<string> => {
  const known = new Map(modules.map((module) => [module.path, module]))
  const byPath = new Map(projects.map((project) => [project.path, project]))
  const ownerOf = (file: string) => projects.find((project) => project.emits && includes(project, file))?.path

  const reachable = (project: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (!seen.has(project)) {
      seen.add(project)
      for (const next of byPath.get(project)?.references ?? []) reachable(next, seen)
    }
    return seen
  }

  return projects.flatMap((project) => {
    const allowed = reachable(project.path)
    const own = modules.filter(({ path }) => includes(project, path)).map((module) => module.path)
    const seen = new Set(own)
    const others = new Set<string>()
    const queue = [...own]
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      for (const name of known.get(file)?.imports ?? []) {
        const target = resolve(file, name, known)
        const owner = target === undefined ? undefined : ownerOf(target)
        if (target === undefined || seen.has(target)) continue
        seen.add(target)
        if (owner === undefined) queue.push(target)
        else if (!allowed.has(owner)) others.add(owner)
      }
    }
    return [...others].map((other) => `${project.path}: ${other}`)
  })
}
