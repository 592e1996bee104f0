import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { Effect, Layer } from "effect"

const cache = fileURLToPath(new URL("../../../node_modules/.cache/pglite", import.meta.url))

/** The installed PGlite's version, which its `exports` hide. */
const versionOfPGlite = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
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

/** The directory of an empty embedded database, removed with the scope. */
export const empty = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "surety-pglite-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  yield* Effect.promise(() => placeEmbeddedDatabase(dataDir))
  return dataDir
})

/** A client of an empty embedded database of its own. */
export const client = Layer.unwrap(Effect.map(empty, (dataDir) => PgliteDatabase.layer({ dataDir })))
