import { Effect, Schema } from "effect"
import { asStoreError, type CellDatabase } from "../CellDatabase.js"
import type { CellName } from "../Cells.js"
import { MoveFailed } from "./MoveFailed.js"
import { insistBriefly, isBusy } from "./MoveFence.js"

const decodeEpochs = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ last: Schema.NullOr(Schema.Int), current: Schema.NullOr(Schema.Int) }))
)

const isLocked = (cell: CellName): string =>
  `a transaction in "${cell}" locks the order of events; wait for its backup or long transaction to end`

/**
 * Begins a new event epoch in the cell, later than the epochs of the events in the schema `waiting`. A merchant's
 * cursor then continues with events stored in this cell. A no-op if no event waits or the current epoch is already
 * later. Locks the event order briefly, and only while no transaction that has read it is running. Fails with
 * `MoveFailed` if the lock is unavailable after `tries` retries of about a quarter of a second each.
 */
export const beginEpoch = (
  { schema, sql }: CellDatabase["Service"],
  { to, tries, waiting }: { readonly to: CellName; readonly tries: number; readonly waiting: string }
) => {
  const order = `"${schema}".event_order`
  const begun = Effect.gen(function* () {
    const [found] = yield* Effect.flatMap(
      sql.unsafe(`select max(v.epoch) as last, (select o.epoch from ${order} o where o.one) as current
        from (select epoch from "${waiting}".event union all select epoch from "${waiting}".platform_outbox) v`),
      decodeEpochs
    )
    const last = found?.last ?? null
    if (last === null || last < (found?.current ?? 0)) return
    yield* insistBriefly(
      sql,
      Effect.gen(function* () {
        yield* sql.unsafe(`lock table ${order} in access exclusive mode`)
        yield* sql.unsafe(`select "${schema}".event_epoch()`)
        yield* sql.unsafe(`update ${order} set epoch = ${last}, written_by = '0' where one and epoch <= ${last}`)
        yield* sql.unsafe(`select "${schema}".begin_event_epoch()`)
      }),
      tries
    )
  })
  return begun.pipe(
    Effect.catchIf(isBusy, () => new MoveFailed({ step: "ordered", detail: isLocked(to) })),
    Effect.catchTags(asStoreError("Arrival.beginEpoch"))
  )
}
