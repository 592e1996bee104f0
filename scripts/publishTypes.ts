// Writes the declarations that `@surety/embed` publishes, including those of its bundled libraries. A host can thus
// compile without installing these libraries.
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { readPackages } from "./packages.ts"

type Target = string | null | { readonly [condition: string]: Target }

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, Target>>
}

const readManifest = (directory: string): Manifest =>
  JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"))

const directoryOf = (name: string, from: string): string => {
  for (let at = from; ; at = path.dirname(at)) {
    const found = path.join(at, "node_modules", name)
    if (existsSync(path.join(found, "package.json"))) return realpathSync(found)
    if (at === path.dirname(at)) throw new Error(`${name} is not installed for ${from}`)
  }
}

const ownerOf = (file: string): string => {
  let at = path.dirname(file)
  while (!existsSync(path.join(at, "package.json")) || readManifest(at).name === undefined) at = path.dirname(at)
  return at
}

const chosen = (target: Target | undefined): string | undefined => {
  if (typeof target === "string") return target
  if (target === null || target === undefined) return undefined
  return chosen(target.types ?? target.import ?? target.default)
}

/**
 * Resolves a path such as `./Effect` to a file through a package's `exports`, preferably to declarations. Throws if the
 * path is not exported.
 */
const exported = ({ exports, name }: Manifest, subpath: string): string => {
  const exact = chosen(exports[subpath])
  if (exact !== undefined) return exact
  for (const [key, target] of Object.entries(exports)) {
    const [before = "", after] = key.split("*")
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue
    const file = chosen(target)
    if (file !== undefined) return file.replace("*", subpath.slice(before.length, subpath.length - after.length))
  }
  throw new Error(`${name} exports no ${subpath}`)
}

const declarationOf = (file: string): string => file.replace(/(?<!\.d)\.js$/, ".d.ts").replace(/(?<!\.d)\.ts$/, ".d.ts")

const packageName = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

const resolve = (specifier: string, from: string): string => {
  if (specifier.startsWith(".")) {
    const file = path.resolve(path.dirname(from), specifier)
    // CommonJS libraries omit the file extension, so each possible file is tried.
    const found = [declarationOf(file), `${file}.d.ts`, path.join(file, "index.d.ts")].find(
      (each) => /\.d\.ts$/.test(each) && existsSync(each)
    )
    return found ?? declarationOf(file)
  }
  const name = packageName(specifier)
  const directory = directoryOf(name, path.dirname(from))
  const manifest = readManifest(directory)
  return declarationOf(path.join(directory, exported(manifest, `.${specifier.slice(name.length)}`)))
}

/**
 * Matches a comment, a module specifier (`from "x"`, `import "x"`, `import("x")`, `declare module "x"`) or another
 * string, whichever comes first.
 */
const tokens =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)|(?<before>\b(?:from|import|declare module)\s*\(?\s*)(?<quote>["'])(?<specifier>[^"'\n]+)\k<quote>|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g

interface Token {
  readonly comment?: string
  readonly before?: string
  readonly quote?: string
  readonly specifier?: string
}

/**
 * Replaces the directory `target` with the entries' declarations and all declarations that these import, directly or
 * indirectly. Leaves out `node:` modules and packages that `isHosts` accepts. Paths of all other imports become
 * relative. Returns the number of files written.
 */
const copyClosure = (entries: ReadonlyArray<string>, target: string, isHosts: (name: string) => boolean): number => {
  rmSync(target, { recursive: true, force: true })
  const placeOf = (file: string): string => {
    const owner = ownerOf(file)
    const inside = path.relative(owner, file).replace(/^(dist|build\/src)\//, "")
    return path.join(target, readManifest(owner).name.replace("@surety/", "").replace("@", ""), inside)
  }
  const seen = new Set<string>()
  const copy = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const place = placeOf(file)
    const raw = readFileSync(file, "utf8")
    // Our own declarations keep their comments, which editors show.
    const keepsComments = !file.includes("node_modules")
    const relativeTo = (specifier: string): string => {
      const next = resolve(specifier, file)
      if (!existsSync(next)) throw new Error(`${file}: no declarations of "${specifier}" (${next})`)
      copy(next)
      const relative = path.relative(path.dirname(place), placeOf(next)).replace(/\.d\.ts$/, ".js")
      return relative.startsWith(".") ? relative : `./${relative}`
    }
    const isLeft = (specifier: string): boolean =>
      specifier.startsWith("node:") || (!specifier.startsWith(".") && isHosts(packageName(specifier)))
    const rewritten = raw
      .replace(tokens, (whole: string, ...given: ReadonlyArray<unknown>) => {
        const { before = "", comment, quote = "", specifier } = given.at(-1) as Token
        if (comment !== undefined) return keepsComments && !comment.startsWith("//# ") ? comment : ""
        if (specifier === undefined || isLeft(specifier)) return whole
        return `${before}${quote}${relativeTo(specifier)}${quote}`
      })
      .replace(/^\s*\n/gm, "")
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, rewritten)
  }
  for (const entry of entries) copy(entry)
  return seen.size
}

export const publishTypes = (): void => {
  const embed = readPackages().get("embed")
  if (embed === undefined) throw new Error("There is no package embed")
  const of = (...names: ReadonlyArray<string>) =>
    names.map((name) => path.join(embed.directory, "dist", `${name}.d.ts`))
  const published = path.join(embed.directory, "dist/published")
  copyClosure(of("index", "testing"), path.join(published, "types"), () => false)
  const isHosts = (name: string) => name === "effect" || name === "@surety/core"
  copyClosure(of("entry/effect"), path.join(published, "effect/types"), isHosts)
}

if (import.meta.main) publishTypes()
