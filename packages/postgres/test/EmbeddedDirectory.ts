import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { Effect, Layer } from "effect"
import { cached } from "./pgliteCache.ts"

/** Returns the data directory of an empty database, built once. */
const emptyDatabase = (): Promise<string> =>
  cached("empty", (dataDir) => Effect.runPromise(Effect.scoped(Layer.build(PgliteDatabase.layer({ dataDir })))))

/**
 * Copies an empty embedded database to `dataDir`, which is much faster than creating one. Tests of the first start must
 * not use it.
 */
export const placeEmbeddedDatabase = async (dataDir: string): Promise<void> => {
  await cp(await emptyDatabase(), dataDir, { recursive: true })
}

/** Data directory of an empty embedded database, removed with the scope. */
export const empty = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "surety-pglite-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  yield* Effect.promise(() => placeEmbeddedDatabase(dataDir))
  return dataDir
})

export const client = Layer.unwrap(Effect.map(empty, (dataDir) => PgliteDatabase.layer({ dataDir })))
