import { type Impairment, Impairments, Readiness } from "@surety/core/Readiness"
import { Context, Duration, Effect, Layer, Metric, Ref, Schedule } from "effect"
import { type CellName, Cells } from "./Cells.js"
import { CellDirectory, type OpenMoves } from "./directory/CellDirectory.js"

const ready = Metric.gauge("cell_ready", {
  description: "1 if the cell responds and has this release's tables; else 0. By cell."
})

/** Sets the cell's `cell_ready` gauge: 1 if the cell responds and has this release's tables, otherwise 0. */
export const recordCell = (cell: CellName, isReady: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(ready, { cell }), isReady ? 1 : 0)

const openMoves = Metric.gauge("cell_moves_open", {
  description: "Unfinished moves of merchants between cells."
})

const oldestMove = Metric.gauge("cell_move_oldest_age_seconds", {
  description: "Age of the oldest unfinished move between cells; 0 if no move is open."
})

/** Sets the gauges of open moves: their number, and the age of the oldest in seconds. */
export const recordMoves = ({ count, oldestAge }: OpenMoves): Effect.Effect<void> =>
  Effect.andThen(Metric.update(openMoves, count), Metric.update(oldestMove, Duration.toSeconds(oldestAge)))

/** Pause between the end of one round of checks and the start of the next. */
export const askEvery = Duration.seconds(5)

/** Time limit for a cell to connect and respond, after which it counts as down. */
const checkTimeout = Duration.seconds(4)

/**
 * Provides `Impairments`, the cells that are down. Checks every cell and counts open moves in the background. `/readyz`
 * therefore waits only for the home cell and the directory, and these gauges delay no scrape. Every cell counts as up
 * until the first round of checks ends.
 */
export const layer: Layer.Layer<never, never, Cells | CellDirectory> = Layer.effect(
  Impairments,
  Effect.gen(function* () {
    const { layers, names } = yield* Cells
    const directory = yield* CellDirectory
    const found = yield* Ref.make<ReadonlyArray<Impairment>>([])
    const ask = (cell: CellName) =>
      Effect.scoped(
        Effect.flatMap(
          Effect.tapError(layers.contextEffect(cell), () => layers.invalidate(cell)),
          (stores) => Context.get(stores, Readiness).check
        )
      ).pipe(
        Effect.timeout(checkTimeout),
        Effect.isSuccess,
        Effect.tap((isReady) => recordCell(cell, isReady))
      )
    const round = Effect.gen(function* () {
      const states = yield* Effect.forEach(names, ask, { concurrency: "unbounded" })
      // If the directory is down, the gauges of open moves keep their last values, and readiness reports the outage.
      yield* Effect.ignore(Effect.flatMap(directory.openMoves, recordMoves))
      const down = names.filter((_, index) => !states[index])
      const before = yield* Ref.getAndSet(
        found,
        down.map((cell) => ({ cell }))
      )
      for (const cell of down) {
        if (before.some((other) => other.cell === cell)) continue
        yield* Effect.annotateLogs(Effect.logWarning("Cell is down; its merchants get 503"), "cell", cell)
      }
      for (const { cell } of before) {
        if (down.every((name) => name !== cell)) {
          yield* Effect.annotateLogs(Effect.logInfo("Cell is up again"), "cell", cell)
        }
      }
    })
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(askEvery)))
    return Ref.get(found)
  })
)
