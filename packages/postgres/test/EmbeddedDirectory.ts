import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"

const cache = fileURLToPath(new URL("../../../node_modules/.cache/pglite", import.meta.url))

/** The installed PGlite's version, which its `exports` hide. */
const versionOfPGlite = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  return JSON.parse(await readFile(path.join(path.dirname(entry), "../package.json"), "utf8")).version
}

/** The files of an empty database. The first process that needs them makes them, and later runs keep them. */
const emptyDatabase = async (): Promise<string> => {
  const made = path.join(cache, await versionOfPGlite())
  if (existsSync(made)) return made
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(path.join(cache, "making-"))
  const database = await PGlite.create(fresh)
  await database.close()
  // Another process may have been faster.
  await rename(fresh, made).catch(() => rm(fresh, { recursive: true }))
  return made
}

/**
 * Places an empty embedded database below `dataDir`, where PGlite would spend four seconds of processor time making
 * one. For tests that are not about a first start.
 */
export const placeEmbeddedDatabase = async (dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true })
  await cp(await emptyDatabase(), path.join(dataDir, "postgres"), { recursive: true })
}
