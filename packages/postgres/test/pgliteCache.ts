import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"

const cache = fileURLToPath(new URL("../../../node_modules/.cache/pglite", import.meta.url))

/** The installed PGlite's version, which its `exports` hide. */
const versionOfPGlite = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  return JSON.parse(await readFile(path.join(path.dirname(entry), "../package.json"), "utf8")).version
}

/**
 * The path of what `make` has made at the path it was given: the first process that needs it calls `make`, and later
 * runs with the same version of PGlite keep the result.
 */
export const cached = async (name: string, make: (place: string) => Promise<unknown>): Promise<string> => {
  const made = path.join(cache, `${name}-${await versionOfPGlite()}`)
  if (existsSync(made)) return made
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(path.join(cache, "making-"))
  await make(path.join(making, name))
  // Another process may have been faster.
  await rename(path.join(making, name), made).catch(() => undefined)
  await rm(making, { recursive: true })
  return made
}
