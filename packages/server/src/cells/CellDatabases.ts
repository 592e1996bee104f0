import { PgClient } from "@effect/sql-pg/PgClient"
import * as CellHealth from "@surety/cells/CellHealth"
import * as CellStores from "@surety/cells/CellStores"
import { type CellName, Cells } from "@surety/cells/Cells"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import * as CellIdentity from "@surety/cells/directory/CellIdentity"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import * as Strays from "@surety/cells/directory/Strays"
import * as PgCells from "@surety/cells/PgCells"
import { innermostMessage } from "@surety/core/innermostMessage"
import { StoreError } from "@surety/core/StoreError"
import * as Worker from "@surety/core/Worker"
import * as PgClock from "@surety/postgres/PgClock"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgPooling from "@surety/postgres/PgPooling"
import * as PgSettings from "@surety/postgres/PgSettings"
import { Duration, Effect, Layer, Schema } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { SchemaPurpose } from "../Database.js"
import * as Database from "../Database.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting, CellSettings } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"

/** Maximum number of connections to a cell's database through `layerOf`. */
const commandConnections = 2

export const layerOf = (settings: Settings, { schema, url }: CellSetting) =>
  Layer.provideMerge(
    Database.postgres(url, settings, commandConnections),
    PgSettings.layer({ schema, auditTimeoutMillis: settings.verifyStepSeconds * 1_000 })
  )

type SchemaFault = PgMigrations.MigrationFailed | PgMigrations.NotReady

/**
 * Migrates a cell's schema if `purpose` is `make`, except through a pooler in transaction mode, where migrations cannot
 * run. Otherwise requires that the schema is up to date. Unless `purpose` is `read`, also settles the order of events.
 */
const prepare =
  (purpose: SchemaPurpose) =>
  ({ url }: Pick<CellSetting, "url">): Effect.Effect<void, SchemaFault, PgClient> => {
    if (purpose === "read") return PgMigrations.readiness
    const required: Effect.Effect<void, SchemaFault, PgClient> = Effect.andThen(
      PgMigrations.readiness,
      Effect.asVoid(PgEventOrder.settle)
    )
    if (purpose === "change") return required
    return Effect.flatMap(PgPooling.inspect(url), ({ _tag }) =>
      _tag === "Transactions" ? required : Effect.andThen(PgMigrations.run, Effect.asVoid(PgEventOrder.settle))
    )
  }

/** Returns a function that converts a cause to the error for an unusable cell. A `StartFailed` stays unchanged. */
export const because = (cell: CellName) => (cause: unknown) =>
  cause instanceof StartFailed
    ? cause
    : new StartFailed({ message: `Surety cannot use the cell "${cell}": ${innermostMessage(cause)}` })

/** Builds the error for an unusable directory. A `StartFailed` stays unchanged. */
export const ofDirectory = (cause: unknown): StartFailed =>
  cause instanceof StartFailed
    ? cause
    : new StartFailed({
        message: `Surety cannot use the directory of its cells: ${innermostMessage(cause)}. Check DATABASE_URL.`
      })

/**
 * Prepares a cell's schema and adds the cell, its merchants and their API keys to the directory. Stores the cell's
 * identity in its database. Idempotent. Fails only with `StartFailed`.
 */
export const add = (settings: Settings, cell: CellSetting) =>
  Effect.gen(function* () {
    const held = yield* Effect.provide(
      Effect.andThen(prepare("make")(cell), AddedCells.heldIn),
      layerOf(settings, cell)
    )
    const identity = yield* AddedCells.add(cell.name, held)
    if (held.identity !== identity) yield* Effect.provide(CellIdentity.write(identity), layerOf(settings, cell))
  }).pipe(Effect.mapError(because(cell.name)))

/**
 * Calls `add` for each configured cell whose directory entry lacks the identity of its database. Earlier releases added
 * entries without an identity.
 */
export const enterUnknown = (settings: Settings, cells: CellSettings) =>
  Effect.gen(function* () {
    const unknown = (yield* AddedCells.list()).filter(({ identity }) => identity === undefined)
    for (const cell of cells) {
      if (unknown.some(({ name }) => name === cell.name)) yield* add(settings, cell)
    }
  })

/**
 * Fails with `StartFailed` if the cell's configured database belongs to another cell or to none. Does not check a cell
 * without an identity in `added`.
 */
export const requireOwn = (cell: CellName, added: ReadonlyArray<AddedCells.AddedCell>) =>
  Effect.catchTag(CellIdentity.require(cell, added), "CellSwapped", ({ message }) =>
    Effect.fail(new StartFailed({ message: `Surety cannot use the cell "${cell}": ${message}` }))
  )

/**
 * Fails with `StartFailed` if the cell's configured database has rows of merchants that are in other cells and not
 * being moved. A restored backup from before a merchant's move has such rows. `directory` is the directory's database.
 */
export const requireNoStrays = (cell: CellName, directory: PgClient) =>
  Effect.catchTag(Strays.refuse(cell, directory), "CellHasStrays", ({ message }) =>
    Effect.fail(new StartFailed({ message: `Surety cannot use the cell "${cell}": ${message}` }))
  )

const quotedNames = (names: ReadonlyArray<CellName>): string => names.map((name) => `"${name}"`).join(", ")

/**
 * Compares the cells in the directory with those in the settings, and returns the faults, if any, as one error. A
 * merchant in a cell that is missing from the settings would be unreachable.
 */
const compare = (
  added: ReadonlyArray<AddedCells.AddedCell>,
  cells: ReadonlyArray<CellSetting>
): StartFailed | undefined => {
  const unknown = added.map(({ name }) => name).filter((name) => cells.every((cell) => cell.name !== name))
  const missing = cells.map(({ name }) => name).filter((name) => added.every((cell) => cell.name !== name))
  const home = added.find(({ isHome }) => isHome)?.name
  const faults = [
    ...(unknown.length === 0 ? [] : [`The directory has cells that CELLS does not name: ${quotedNames(unknown)}.`]),
    ...(missing.length === 0
      ? []
      : [`CELLS names cells that the directory does not have: ${quotedNames(missing)}. Run surety cells add.`]),
    ...(home === undefined || home === cells[0]?.name
      ? []
      : [`"${home}" is the home cell, which never changes. List it first in CELLS.`])
  ]
  return faults.length === 0 ? undefined : new StartFailed({ message: faults.join(" ") })
}

/**
 * If `purpose` is `make`, creates the directory's tables unless they exist, and fills an empty directory with the cells
 * in the settings. Fails unless the directory's cells and home cell match the settings.
 */
const directoryIsReady = Effect.fnUntraced(function* (
  settings: Settings,
  cells: ReadonlyArray<CellSetting>,
  purpose: SchemaPurpose
) {
  // The serving role may lack the right to create a schema, so a directory that has tables is not migrated.
  if (!(yield* DirectoryTables.isMade())) {
    if (purpose !== "make") {
      return yield* new StartFailed({ message: "The directory of cells has no tables. Run surety migrate." })
    }
    yield* DirectoryTables.migrate()
  }
  const added = yield* AddedCells.list()
  if (added.length === 0 && purpose === "make") {
    for (const cell of cells) yield* add(settings, cell)
    return
  }
  const fault = compare(added, cells)
  if (fault !== undefined) return yield* fault
})

const isDown = (cause: unknown): boolean => Schema.is(StoreError)(cause) || isSqlError(cause)

/** Opens every cell once. An unresponsive cell does not prevent the start, unless it is the home cell. */
const openCells = Effect.gen(function* () {
  const { home, layers, names } = yield* Cells
  yield* Effect.forEach(
    names,
    (cell) =>
      Effect.scoped(layers.contextEffect(cell)).pipe(
        Effect.asVoid,
        Effect.tapError(() => layers.invalidate(cell)),
        Effect.catchIf(
          (cause) => cell !== home && isDown(cause),
          () => Effect.annotateLogs(Effect.logWarning("Cell does not respond; its merchants get 503"), "cell", cell)
        ),
        Effect.mapError(because(cell))
      ),
    { concurrency: "unbounded", discard: true }
  )
})

/** How often to look for unfinished changes to people. A change counts as unfinished after `resumeAfter`. */
const resumeEvery = Duration.seconds(30)
const resumeAfter = Duration.minutes(1)
const resumedAtOnce = 100

const upkeep = Worker.make(
  { name: "Completing changes to people across cells", every: resumeEvery },
  Effect.flatMap(CellStores.CellUpkeep, ({ resume }) => Effect.asVoid(resume(resumeAfter, resumedAtOnce)))
)

/**
 * Provides the stores over the cells. Their directory is in the database at `DATABASE_URL`. If `isServing`, and
 * `WORKERS` is on, also starts the worker that completes unfinished changes to people.
 */
export const stores = (settings: Settings, cells: CellSettings, purpose: SchemaPurpose, isServing: boolean) => {
  const databases = Layer.unwrap(
    Effect.gen(function* () {
      const added = yield* Effect.mapError(AddedCells.list(), ofDirectory)
      const ownDirectory = yield* PgClient
      return PgCells.layer({
        cells,
        maxConnections: settings.databaseConnections,
        connection: Database.connectionOf(settings),
        settings: { auditTimeoutMillis: settings.verifyStepSeconds * 1_000 },
        prepare: (cell) =>
          Effect.all([requireOwn(cell.name, added), prepare(purpose)(cell), requireNoStrays(cell.name, ownDirectory)])
      })
    })
  )
  const directory = Layer.effectDiscard(Effect.mapError(directoryIsReady(settings, cells, purpose), ofDirectory))
  return Layer.mergeAll(CellHealth.layer, isServing && settings.workers ? upkeep.layer : Layer.empty).pipe(
    Layer.provideMerge(CellStores.layer),
    Layer.provideMerge(Layer.effectDiscard(openCells)),
    Layer.provideMerge(databases),
    Layer.provideMerge(PgCellDirectory.layer()),
    Layer.provideMerge(directory),
    Layer.provideMerge(PgClock.layer),
    Layer.provideMerge(Database.layer(settings))
  )
}
