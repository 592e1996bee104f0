import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { pgliteDuplex } from "../src/connection/pgliteDuplex.js"
import { cached } from "./pgliteCache.js"

/** Returns the path of an archive of an empty database, built once. */
const emptyDatabase = (): Promise<string> =>
  cached("empty.tar", async (place) => {
    const database = await PGlite.create("memory://")
    await writeFile(place, (await database.dumpDataDir("none")).stream())
    await database.close()
  })

const open = Effect.acquireRelease(
  Effect.promise(async () => PGlite.create("memory://", { loadDataDir: await openAsBlob(await emptyDatabase()) })),
  (database) => Effect.promise(() => database.close())
)

/** Uses one connection, since PGlite accepts only one at a time. */
export const clientOf = (database: PGlite) =>
  PgClient.layer({
    stream: pgliteDuplex(database),
    username: "postgres",
    database: "postgres",
    maxConnections: 1,
    ssl: false
  })

/** Client of a new, empty embedded database in memory. It is faster than one on disk. */
export const client = Layer.unwrap(Effect.map(open, clientOf))
