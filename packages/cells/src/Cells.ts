import type { StorePorts } from "@surety/core/StorePorts"
import { type Array as Arr, Context, Duration, Effect, Layer, LayerMap, Schema } from "effect"
import type { CellDatabase } from "./CellDatabase.js"
import type { PersonRows } from "./PersonRows.js"

/** A cell's name in settings, metrics and errors. It must never change, because the directory stores it. */
export const CellName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9-]{0,31}$/u, {
    expected: "1 to 32 characters of a-z, 0-9 and -, starting with a letter"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type

/** Services that each cell provides. */
export type CellParts = StorePorts | PersonRows | CellDatabase

/** A cell's stores could not be opened or used. Work that needs only other cells continues. */
export class CellUnavailable extends Schema.TaggedError<CellUnavailable>("@surety/cells/Cells/CellUnavailable")(
  "CellUnavailable",
  { cell: CellName, cause: Schema.Defect() }
) {
  override get message(): string {
    return `The cell "${this.cell}" did not respond.`
  }
}

/** The cells of an installation. */
export class Cells extends Context.Service<
  Cells,
  {
    /**
     * The cell that also holds records without a merchant, such as people, operators' sessions and rate limit buckets.
     */
    readonly home: CellName
    /** All cells, in the order of the settings. */
    readonly names: Arr.NonEmptyReadonlyArray<CellName>
    /** Cells that accept new merchants. */
    readonly open: Arr.NonEmptyReadonlyArray<CellName>
    /** Stores of each cell, connected on first use, so a cell that is down does not prevent start-up. */
    readonly layers: LayerMap.LayerMap<CellName, CellParts, unknown>
  }
>()("@surety/cells/Cells") {}

/** Longest time for which a process may cache a merchant's cell, and the default of `PlaceTtl`. */
export const placeTtl = Duration.seconds(5)

/**
 * How long a process caches a merchant's cell, at most `placeTtl`. During a move, the cell is not cached until the
 * directory names the target. A move waits until entries cached before it have expired (`MoveOptions.settleFor`).
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

/** Provides `Cells` with the stores that `layerOf` makes. Dies if `home`, or a cell in `open`, is not in `names`. */
export const layer = ({ home, layerOf, names, open }: CellOptions): Layer.Layer<Cells> =>
  Layer.effect(
    Cells,
    Effect.gen(function* () {
      for (const name of [home, ...open]) {
        if (!names.includes(name)) return yield* Effect.die(new Error(`Unknown cell "${name}"`))
      }
      // Each cell gets its own stores. A layer shared by reference would give every cell the first cell's stores.
      const layers = yield* LayerMap.make((cell: CellName) => Layer.fresh(layerOf(cell)), {
        idleTimeToLive: Infinity
      })
      return { home, names, open, layers }
    })
  )
