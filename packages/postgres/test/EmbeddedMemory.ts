import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { pgliteDuplex } from "../src/connection/pgliteDuplex.js"
import { cached } from "./pgliteCache.js"

/** An archive of an empty database. */
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

/** A client with a connection of its own to the database's one session. */
export const clientOf = (database: PGlite) =>
  PgClient.layer({
    stream: pgliteDuplex(database),
    username: "postgres",
    database: "postgres",
    maxConnections: 1,
    ssl: false
  })

/**
 * A client of an empty embedded database of its own, in memory: its statements take a quarter of the processor time of
 * those over a directory, and it starts in a third of the time.
 */
export const client = Layer.unwrap(Effect.map(open, clientOf))
