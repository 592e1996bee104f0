import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { Effect, Layer } from "effect"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const cache = path.join(root, "node_modules/.cache/pglite")

/** The installed PGlite's version, which its `exports` hide. */
const versionOfPGlite = async (): Promise<string> => {
  const entry = createRequire(path.join(root, "packages/postgres/package.json")).resolve("@electric-sql/pglite")
  return JSON.parse(await readFile(path.join(path.dirname(entry), "../package.json"), "utf8")).version
}

/** The directory of an empty database. The first process that needs it makes it, and later runs keep it. */
const emptyDatabase = async (): Promise<string> => {
  const made = path.join(cache, `empty-${await versionOfPGlite()}`)
  if (existsSync(made)) return made
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(path.join(cache, "making-"))
  await Effect.runPromise(Effect.scoped(Layer.build(PgliteDatabase.layer({ dataDir: fresh }))))
  // Another process may have been faster.
  await rename(fresh, made).catch(() => rm(fresh, { recursive: true }))
  return made
}

/**
 * Makes `dataDir` the directory of an empty embedded database, of which PGlite would make one in four seconds of
 * processor time. For tests that are not about a first start.
 */
export const placeEmbeddedDatabase = async (dataDir: string): Promise<void> => {
  await cp(await emptyDatabase(), dataDir, { recursive: true })
}
