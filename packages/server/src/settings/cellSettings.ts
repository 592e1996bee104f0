import { readFileSync } from "node:fs"
import { CellName } from "@surety/cells/Cells"
import { directorySchema } from "@surety/cells/directory/DirectoryTables"
import { defaultPgSettings, SchemaName } from "@surety/postgres/PgSettings"
import * as PgUrl from "@surety/postgres/PgUrl"
import { Array as Arr, Option, Redacted, Result, Schema } from "effect"
import { readDatabaseUrl } from "./databaseUrl.js"
import { setting } from "./Setting.js"

export interface CellSetting {
  readonly name: CellName
  readonly url: Redacted.Redacted
  readonly schema: string
  /** True if the cell accepts new merchants. */
  readonly isOpen: boolean
}

/** Configured cells, home cell first. */
export type CellSettings = Arr.NonEmptyReadonlyArray<CellSetting>

const decodeList = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Unknown)))

const decodeCell = Schema.decodeUnknownOption(
  Schema.Struct({
    name: CellName,
    url: Schema.String,
    schema: Schema.optionalKey(SchemaName),
    open: Schema.optionalKey(Schema.Boolean)
  }),
  { onExcessProperty: "error" }
)

/** Returns the host, port and database of a url, without the user. Two host names of one server count as different. */
const placeOf = (url: Redacted.Redacted): string => {
  const { database, host, port } = PgUrl.placeOf(Redacted.value(url))
  return `${host}:${port}/${database}`
}

const readCell = (entry: unknown, index: number): Result.Result<CellSetting, string> => {
  const place = `cell ${index + 1}`
  const decoded = decodeCell(entry)
  if (Option.isNone(decoded)) {
    return Result.fail(
      `${place} is not { "name", "url", "schema", "open" } with a name of a-z, 0-9 and - and a schema of a-z, 0-9 and _`
    )
  }
  const { name, open: isOpen = true, schema = defaultPgSettings.schema, url } = decoded.value
  return Result.mapBoth(readDatabaseUrl(url), {
    onFailure: (fault) => `the url of ${place}, ${name}, ${fault}`,
    onSuccess: (read) => ({ name, url: read, schema, isOpen })
  })
}

const repeated = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index))
]

/** Parses the list of cells. On failure, returns all faults in one string. */
export const readCells = (text: string): Result.Result<CellSettings, string> => {
  const list = decodeList(text)
  if (Option.isNone(list) || list.value.length === 0) {
    return Result.fail('is not a JSON list of cells: [{ "name": "first", "url": "postgres://…", "schema": "surety" }]')
  }
  const read = list.value.map(readCell)
  const cells = read.flatMap((cell) => (Result.isSuccess(cell) ? [cell.success] : []))
  const faults = [
    ...read.flatMap((cell) => (Result.isFailure(cell) ? [cell.failure] : [])),
    ...repeated(cells.map(({ name }) => name)).map((name) => `two cells have the name ${name}`),
    ...repeated(cells.map(({ schema, url }) => `${placeOf(url)} ${schema}`)).map(
      (place) => `two cells share a schema of one database: ${place}`
    ),
    ...cells
      .filter(({ schema }) => schema === directorySchema)
      .map(({ name }) => `${name} uses the directory's schema`),
    ...(cells.length > 0 && cells.every(({ isOpen }) => !isOpen) ? ["no cell is open to new merchants"] : [])
  ]
  return faults.length === 0 && Arr.isReadonlyArrayNonEmpty(cells)
    ? Result.succeed(cells)
    : Result.fail(faults.join("; "))
}

const readFile = (file: string): Result.Result<CellSettings, string> =>
  Result.flatMap(
    Result.try({
      // Also removes a byte order mark.
      try: () => readFileSync(file, "utf8").trim(),
      catch: (cause) => `cannot be read: ${cause instanceof Error ? cause.message : "unknown error"}`
    }),
    readCells
  )

const cellNames = (cells: CellSettings): string =>
  cells.map(({ isOpen, name }) => (isOpen ? name : `${name} (closed)`)).join(", ")

export const cellSettings = {
  cells: setting("CELLS", {
    meaning:
      'merchants in several databases: a JSON list of cells, { "name", "url", "schema", "open" }, the home cell first; ' +
      "DATABASE_URL is then the directory's (docs/platform/cells.md)",
    unset: "one database, DATABASE_URL",
    read: readCells,
    summary: cellNames
  }),
  cellsFile: setting("CELLS_FILE", {
    meaning: "a file with the list of CELLS, such as a mounted secret; set CELLS or CELLS_FILE, not both",
    unset: "none",
    read: readFile,
    summary: cellNames
  })
}

/**
 * Minimum of `DATABASE_CONNECTIONS` if cells are configured. Up to four connections to the directory may wait for or
 * hold a `Turn`, a lock across processes. Work under these locks needs as many again.
 */
export const leastConnections = 8
