import type { PackedPackage } from "./PackedPackage.js"

/** Matches a built module. The `./*` pattern in `exports` exposes every such module that no `null` entry excludes. */
const modules = /^dist\/(?<module>.+)\.js$/

/** Returns every path by which a package's modules can be imported, such as `.` or `./Money`. */
export const entryPoints = ({ manifest, files }: PackedPackage): ReadonlyArray<string> => {
  const sealed = Object.keys(manifest.exports)
    .filter((key) => manifest.exports[key] === null)
    .map((key) => key.replace("*", ""))
  const opened = manifest.exports["./*"] === undefined ? [] : files
  const named = Object.keys(manifest.exports).filter((key) => !key.includes("*") && key !== "./package.json")
  const found = opened.flatMap((file) => modules.exec(file)?.groups?.module ?? []).map((module) => `./${module}`)
  return [...named, ...found.filter((entry) => !sealed.some((prefix) => entry.startsWith(prefix)))]
}

/** Returns the package's entry points as import specifiers, such as `@surety/core/Money`. */
export const importPaths = (pkg: PackedPackage): ReadonlyArray<string> =>
  entryPoints(pkg).map((entry) => pkg.manifest.name + entry.slice(1))
