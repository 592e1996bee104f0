import { createHash, randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"
import type * as PgArchive from "@surety/postgres/PgArchive"
import { DateTime, Effect, FileSystem, Path, Schema } from "effect"
import { type ArchiveFile, encodeManifest, fileName, manifestName } from "./ArchiveManifest.js"

/** Only the user who wrote an archive may read it, since it holds merchants' events. */
const modes = { file: 0o600, directory: 0o700 } as const

const keysOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const decodeNames = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ merchant_id: Schema.String, endpoint_id: Schema.optionalKey(Schema.String) }))
)

const syncDirectory = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.scoped(Effect.flatMap(fs.open(directory, { flag: "r" }), ({ sync }) => sync))
})

/** Creates a directory and its missing parents, flushing each entry to disk. */
const makeDurably = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const holders: Array<string> = []
  for (let missing = directory; !(yield* fs.exists(missing)); missing = path.dirname(missing)) {
    holders.push(path.dirname(missing))
  }
  yield* fs.makeDirectory(directory, { recursive: true, mode: modes.directory })
  for (const holder of holders) yield* syncDirectory(holder)
})

const writeDurably = Effect.fnUntraced(function* (file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const open = yield* fs.open(file, { flag: "wx", mode: modes.file })
  yield* open.writeAll(new TextEncoder().encode(text))
  yield* open.sync
}, Effect.scoped)

/** Opens a table's file for writing. `add` appends one page; `end` syncs the file and returns its manifest entry. */
const tableFile = Effect.fnUntraced(function* (directory: string, table: PgArchive.ArchivedTable) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = yield* fs.open(path.join(directory, fileName(table)), { flag: "wx", mode: modes.file })
  const hash = createHash("sha256")
  const pages: Array<{ readonly rows: number; readonly bytes: number }> = []
  let columns: ReadonlyArray<string> = []

  const add = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const [first] = lines
    if (columns.length === 0 && first !== undefined) columns = Object.keys(yield* keysOf(first))
    const member = gzipSync(lines.map((line) => `${line}\n`).join(""))
    yield* file.writeAll(member)
    hash.update(member)
    pages.push({ rows: lines.length, bytes: member.byteLength })
  })

  const end = Effect.gen(function* () {
    yield* file.sync
    const sum = (of: "rows" | "bytes") => pages.reduce((total, page) => total + page[of], 0)
    const written: ArchiveFile = {
      table,
      rows: sum("rows"),
      bytes: sum("bytes"),
      sha256: hash.digest("hex"),
      columns,
      pages
    }
    return written
  })

  return { add, end }
})

const linesOf = (rows: ReadonlyArray<{ readonly line: string }>): ReadonlyArray<string> => rows.map(({ line }) => line)

/** Returns the first unused path below `to`: `2026-03`, then `2026-03.2` and so on. */
const freeName = Effect.fnUntraced(function* (to: string, month: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let number = 1; ; number += 1) {
    const name = path.join(to, number === 1 ? month : `${month}.${number}`)
    if (!(yield* fs.exists(name))) return name
  }
})

const beginningOf = ({ id, month }: PgArchive.ArchivePart): string => `.${month}.${id}.`

/**
 * Removes the unfinished files that interrupted runs of a part left in `to`. Also removes the files of a run that is
 * still writing the part there, which makes that run fail.
 */
export const removeUnfinished = Effect.fn("removeUnfinished")(function* (part: PgArchive.ArchivePart, to: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* fs.exists(to))) return
  for (const name of yield* fs.readDirectory(to)) {
    if (!name.startsWith(beginningOf(part))) continue
    yield* fs.remove(path.join(to, name), { recursive: true, force: true })
  }
})

/**
 * Writes a part's files to a directory below `to` and flushes them to disk. Only then is the directory renamed to its
 * final name, such as `2026-03`. Returns the directory, or undefined if nothing in the month may be archived. Each run
 * writes to its own directory.
 */
export const writePart = Effect.fn("writePart")(function* (
  archive: PgArchive.Archive,
  part: PgArchive.ArchivePart,
  to: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeDurably(to)
  yield* removeUnfinished(part, to)
  const partial = path.join(to, `${beginningOf(part)}${randomUUID()}.partial`)
  let page = yield* archive.page(part.month, undefined)
  if (page.event.length === 0) return undefined
  yield* fs.makeDirectory(partial, { mode: modes.directory })

  const files = yield* Effect.gen(function* () {
    const events = yield* tableFile(partial, "event")
    const deliveries = yield* tableFile(partial, "delivery")
    const attempts = yield* tableFile(partial, "delivery_attempt")
    const merchants = new Set<string>()
    const endpoints = new Set<string>()
    while (page.event.length > 0) {
      yield* events.add(linesOf(page.event))
      yield* deliveries.add(linesOf(page.delivery))
      yield* attempts.add(linesOf(page.delivery_attempt))
      for (const { line } of [...page.event, ...page.delivery]) {
        const { endpoint_id, merchant_id } = yield* decodeNames(line)
        merchants.add(merchant_id)
        if (endpoint_id !== undefined) endpoints.add(endpoint_id)
      }
      page = yield* archive.page(part.month, page.event.at(-1)?.eventId)
    }
    const copies = yield* archive.references([...merchants], [...endpoints])
    const merchant = yield* tableFile(partial, "merchant")
    yield* merchant.add(copies.merchant)
    const endpoint = yield* tableFile(partial, "webhook_endpoint")
    yield* endpoint.add(copies.webhook_endpoint)
    return yield* Effect.all([merchant.end, endpoint.end, events.end, deliveries.end, attempts.end])
  }).pipe(Effect.scoped)

  const text = yield* encodeManifest({
    format: "surety-archive-1",
    id: part.id,
    month: part.month,
    schema: yield* archive.schemaVersion,
    writtenAt: yield* DateTime.now,
    files
  })
  yield* writeDurably(path.join(partial, manifestName), `${text}\n`)
  yield* syncDirectory(partial)
  const directory = yield* freeName(to, part.month)
  yield* fs.rename(partial, directory)
  yield* syncDirectory(to)
  return directory
})
