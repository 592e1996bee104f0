/** An entry of `exports` in a package.json: a target, a closed path (`null`), or targets by condition. */
export type ExportsTarget = string | null | { readonly [condition: string]: ExportsTarget }

/** Package metadata for the architecture rules. `sources` are paths relative to the package. */
export interface PackageManifest {
  readonly name: string
  readonly exports: Readonly<Record<string, ExportsTarget>>
  readonly sources: ReadonlyArray<string>
}

const sourceOf = (target: ExportsTarget): string | null => {
  if (typeof target === "string" || target === null) return target
  return target.source === undefined ? null : sourceOf(target.source)
}

/**
 * Returns the key of `exports` for a subpath: an exact match, otherwise the matching pattern with the longest prefix
 * before `*`. Unlike Node, ignores a suffix after `*`.
 */
const matchingKey = (keys: ReadonlyArray<string>, subpath: string): string | undefined => {
  if (keys.includes(subpath)) return subpath
  return keys
    .filter((key) => key.includes("*") && subpath.startsWith(key.slice(0, key.indexOf("*"))))
    .sort((one, other) => other.indexOf("*") - one.indexOf("*"))[0]
}

/**
 * Returns the source file that a package exports under an import path. Returns `undefined` if the path exports no
 * existing file in `src`.
 */
export const resolveSource = (manifest: PackageManifest, specifier: string): string | undefined => {
  const subpath = `.${specifier.slice(manifest.name.length)}`
  const key = matchingKey(Object.keys(manifest.exports), subpath)
  const target = key === undefined ? null : sourceOf(manifest.exports[key] ?? null)
  if (key === undefined || target === null) return undefined
  const file = target.replace("*", subpath.slice(key.indexOf("*"))).replace(/^\.\//, "")
  return manifest.sources.includes(file) ? file : undefined
}

/** Packages that export only the modules directly in `src`. */
const flat = new Set(["@surety/postgres"])

const privateFolders = ({ name, sources }: PackageManifest): ReadonlyArray<string> => {
  if (!flat.has(name)) return ["internal"]
  return [...new Set(sources.flatMap((file) => /^src\/(?<folder>[^/]+)\//.exec(file)?.groups?.folder ?? []))]
}

/** Returns private folders that a package with wildcard exports does not close with `null`. */
export const sealViolations = (manifest: PackageManifest): ReadonlyArray<string> => {
  const isOpen = Object.keys(manifest.exports).some((key) => key.includes("*"))
  if (!isOpen) return []
  return privateFolders(manifest)
    .filter((folder) => manifest.exports[`./${folder}/*`] !== null)
    .map((folder) => `${manifest.name}: "./${folder}/*" is not sealed with null in exports`)
}

const importStatement = /(?:from|import)\s*\(?\s*["'](@surety\/[\w-]+(?:\/[^"']*)?)["']/g

/**
 * Returns a file's documentation: the comment lines of a TypeScript file, or the full text of any other file. Imports
 * in TypeScript code are left to the compiler.
 */
const documented = (file: string, text: string): string =>
  file.endsWith(".ts")
    ? text
        .split("\n")
        .filter((line) => /^\s*(\*|\/[/*])/.test(line))
        .join("\n")
    : text

/** Returns `@surety` import paths in a file's documentation that do not lead to an exported source file. */
export const documentedPathViolations = (
  manifests: ReadonlyArray<PackageManifest>,
  file: string,
  text: string
): ReadonlyArray<string> =>
  [...documented(file, text).matchAll(importStatement)]
    .map((match) => match[1] ?? "")
    .filter((specifier) => {
      const manifest = manifests.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
      return manifest === undefined || resolveSource(manifest, specifier) === undefined
    })
    .map((specifier) => `${file}: there is no ${specifier} to import`)
