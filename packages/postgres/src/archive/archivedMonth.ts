import { EventArchived } from "@surety/core/event/EventArchived"
import { Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, InnerError } from "../sql/Database.js"

const decodeMonths = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ month: Schema.String })))

/** Finds the first archived month, if any, that overlaps the inclusive range from `from` to `until`. */
export const archivedMonth = (
  { name, sql }: Database,
  from: Fragment,
  until: Fragment
): Effect.Effect<string | undefined, InnerError> =>
  Effect.map(
    Effect.flatMap(
      sql`
        select to_char(p.month, 'YYYY-MM') as month from ${name("archive_part")} p
        where p.status <> 'WRITING' and p.month <= (${until} at time zone 'UTC')::date
          and (p.month + interval '1 month') at time zone 'UTC' > ${from}
        order by p.month limit 1`,
      decodeMonths
    ),
    ([first]) => first?.month
  )

export const refuseArchived = (month: string | undefined): Effect.Effect<void, EventArchived> =>
  month === undefined ? Effect.void : Effect.fail(new EventArchived({ month }))
