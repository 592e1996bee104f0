import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"

const cache = fileURLToPath(new URL("../../../node_modules/.cache/pglite", import.meta.url))

/**
 * Reads the version of the installed PGlite from the file system, since its `exports` do not include its
 * `package.json`.
 */
const versionOfPGlite = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  return JSON.parse(await readFile(path.join(path.dirname(entry), "../package.json"), "utf8")).version
}

/**
 * Returns the path of a cached artefact. If it is missing, calls `make` with the path to create. Later calls with the
 * same PGlite version reuse the result.
 */
export const cached = async (name: string, make: (place: string) => Promise<unknown>): Promise<string> => {
  const made = path.join(cache, `${name}-${await versionOfPGlite()}`)
  if (existsSync(made)) return made
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(path.join(cache, "making-"))
  await make(path.join(making, name))
  // Ignores a failure, since another process may have created the artefact first, and its copy can be used.
  await rename(path.join(making, name), made).catch(() => undefined)
  await rm(making, { recursive: true })
  return made
}
