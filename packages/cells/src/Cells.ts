import type { StorePorts } from "@surety/core/StorePorts"
import { type Array as Arr, Context, Duration, Effect, Layer, LayerMap, Schema } from "effect"
import type { CellDatabase } from "./CellDatabase.js"
import type { PersonRows } from "./PersonRows.js"

/** The name of a cell, as settings, metrics and errors give it. It never changes: the directory stores it. */
export const CellName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9-]{0,31}$/u, {
    expected: "1 to 32 of a-z, 0-9 and -, beginning with a letter"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type

/** What each cell provides. */
export type CellParts = StorePorts | PersonRows | CellDatabase

/** A cell did not respond. This affects only its own merchants, and the operator's lists over all of them. */
export class CellUnavailable extends Schema.TaggedError<CellUnavailable>("@surety/cells/Cells/CellUnavailable")(
  "CellUnavailable",
  { cell: CellName, cause: Schema.Defect() }
) {
  override get message(): string {
    return `The cell "${this.cell}" did not answer.`
  }
}

/** The cells of an installation. */
export class Cells extends Context.Service<
  Cells,
  {
    /** The cell that also holds records of no merchant: people, sessions, rate limit buckets. */
    readonly home: CellName
    /** All cells, in the order of the settings. */
    readonly names: Arr.NonEmptyReadonlyArray<CellName>
    /** Those that take new merchants. */
    readonly open: Arr.NonEmptyReadonlyArray<CellName>
    /** The stores of a cell, connected at its first use, so that a cell that is down does not prevent a start. */
    readonly layers: LayerMap.LayerMap<CellName, CellParts, unknown>
  }
>()("@surety/cells/Cells") {}

/** How long a merchant's cell is cached unless `PlaceTtl` says otherwise. */
export const placeTtl = Duration.seconds(5)

/**
 * How long a process caches a merchant's cell. The cell of a merchant that moves is never cached; a move waits until
 * every cache has expired. Must not be longer than `placeTtl`.
 */
export const PlaceTtl: Context.Reference<Duration.Duration> = Context.Reference("@surety/cells/Cells/PlaceTtl", {
  defaultValue: () => placeTtl
})

export interface CellOptions {
  readonly home: CellName
  readonly names: Arr.NonEmptyReadonlyArray<CellName>
  readonly open: Arr.NonEmptyReadonlyArray<CellName>
  readonly layerOf: (cell: CellName) => Layer.Layer<CellParts, unknown>
}

/** Cells whose stores `layerOf` makes. Dies if `home`, or a cell of `open`, is none of `names`. */
export const layer = ({ home, layerOf, names, open }: CellOptions): Layer.Layer<Cells> =>
  Layer.effect(
    Cells,
    Effect.gen(function* () {
      for (const name of [home, ...open]) {
        if (!names.includes(name)) return yield* Effect.die(new Error(`There is no cell "${name}"`))
      }
      // Each cell gets stores of its own: a layer that is shared by reference would be the first cell's.
      const layers = yield* LayerMap.make((cell: CellName) => Layer.fresh(layerOf(cell)), {
        idleTimeToLive: Infinity
      })
      return { home, names, open, layers }
    })
  )
