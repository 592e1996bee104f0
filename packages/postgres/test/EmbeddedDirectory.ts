import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { Effect, Layer } from "effect"
import { cached } from "./pgliteCache.ts"

/** The directory of an empty database. */
const emptyDatabase = (): Promise<string> =>
  cached("empty", (dataDir) => Effect.runPromise(Effect.scoped(Layer.build(PgliteDatabase.layer({ dataDir })))))

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
