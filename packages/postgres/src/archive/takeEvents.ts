import { Effect, Schema } from "effect"
import type { Database } from "../sql/Database.js"
import { uuids } from "../sql/PgArray.js"
import { linesOf } from "./readArchive.js"

/** A page of verified files: the uuids of its events, and the lines of all rows that belong to them. */
export interface VerifiedPage {
  readonly ids: ReadonlyArray<string>
  readonly event: ReadonlyArray<string>
  readonly delivery: ReadonlyArray<string>
  readonly delivery_attempt: ReadonlyArray<string>
}

/** Number of events removed from the store, and the uuids of the page's events that stay because they have changed. */
export interface Taken {
  readonly events: number
  readonly changed: ReadonlyArray<string>
}

const decodeHeld = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const tables = ["event", "delivery", "delivery_attempt"] as const

/**
 * Implements `Archive.take`. Returns undefined unless the part has status `REMOVING`. Locks the events first, so that
 * no new delivery of them can be stored. Then locks their deliveries, so that none becomes due again. Removes the
 * events whose rows, read under these locks, are all in the page.
 */
export const takeEvents = Effect.fnUntraced(function* (database: Database, part: string, verified: VerifiedPage) {
  const { name, sql } = database
  const { ids } = verified
  const known = new Set(tables.flatMap((table) => verified[table].map((line) => `${table} ${line}`)))
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const removing = yield* sql`
        select 1 from ${name("archive_part")} p where p.id = ${part}::uuid and p.status = 'REMOVING' for share`
      if (removing.length === 0) return undefined
      const held = yield* Effect.flatMap(
        sql`select v.id::text as id from ${name("event")} v where v.id = any (${uuids(ids)}) order by v.id for update`,
        decodeHeld
      )
      yield* sql`select 1 from ${name("delivery")} d where d.event_id = any (${uuids(ids)}) order by d.id for update`
      const stored = yield* linesOf(database, ids)
      const changed = new Set<string>()
      for (const table of tables) {
        for (const { eventId, line } of stored[table]) if (!known.has(`${table} ${line}`)) changed.add(eventId)
      }
      const leaving = new Set(stored.event.map(({ eventId }) => eventId).filter((id) => !changed.has(id)))
      const going = uuids([...leaving])
      yield* sql`
        delete from ${name("delivery_attempt")} a using ${name("delivery")} d
        where d.id = a.delivery_id and d.event_id = any (${going})`
      yield* sql`delete from ${name("delivery")} d where d.event_id = any (${going})`
      const removed = yield* sql`delete from ${name("event")} v where v.id = any (${going}) returning 1`
      const taken: Taken = {
        events: removed.length,
        changed: held.flatMap(({ id }) => (leaving.has(id) ? [] : [id]))
      }
      return taken
    })
  )
})
