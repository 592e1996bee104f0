import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { PackageManifest } from "./ExportsMap.js"
import { parse, type SourceModule } from "./SourceModule.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

/** Files and directories that do not belong to the project, such as a build's output. */
const leftovers = /(^|\/)(node_modules|dist|coverage|\.git|\.surety|\.vite-temp)$|\.tsbuildinfo$/

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(directory, entry.name)
    if (leftovers.test(file)) return []
    return entry.isDirectory() ? filesBelow(file) : entry.isFile() ? [file] : []
  })

/** Every file of the project, as a path from the workspace's root. */
export const files: ReadonlyArray<string> = filesBelow(".")

export const sourceModules: ReadonlyArray<SourceModule> = files
  .filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file))
  .map((file) => parse(file, read(file)))

const readManifest = (directory: string): PackageManifest => {
  const { name, exports }: Pick<PackageManifest, "name" | "exports"> = JSON.parse(read(`${directory}/package.json`))
  const own = files.filter((file) => file.startsWith(`${directory}/src/`))
  return { name, exports, sources: own.map((file) => file.slice(directory.length + 1)) }
}

export const manifests: ReadonlyArray<PackageManifest> = files
  .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
  .map((file) => readManifest(path.posix.dirname(file)))
