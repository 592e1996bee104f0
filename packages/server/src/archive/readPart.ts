import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import * as PgArchive from "@surety/postgres/PgArchive"
import { Effect, FileSystem, Path, Schema, Stream } from "effect"
import {
  type ArchiveFile,
  type ArchiveManifest,
  ArchiveUnusable,
  decodeManifest,
  fileName,
  manifestName
} from "./ArchiveManifest.js"

/** A part whose manifest has been read. `verifyPart` checks its files against the manifest. */
export interface ReadPart {
  readonly directory: string
  readonly manifest: ArchiveManifest
  /** SHA-256 of `manifest.json`, in hex. */
  readonly manifestHash: string
}

const damaged = (path: string, detail: string) => new ArchiveUnusable({ path, detail })

/** Reads a part's manifest. Fails with `ArchiveUnusable` if the file cannot be read or is not a manifest. */
export const readManifest = Effect.fn("readManifest")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(directory, manifestName)
  const bytes = yield* Effect.mapError(fs.readFile(file), () => damaged(file, "cannot be read"))
  const manifest = yield* Effect.mapError(decodeManifest(new TextDecoder().decode(bytes)), () =>
    damaged(file, "not an archive manifest")
  )
  const part: ReadPart = { directory, manifest, manifestHash: createHash("sha256").update(bytes).digest("hex") }
  return part
})

/**
 * Returns the parts in a directory, sorted by name. If the directory is itself a part, returns that part. Omits
 * unfinished parts. Empty if the directory is missing. Fails with `ArchiveUnusable` if a part's manifest is invalid.
 */
export const partsIn = Effect.fn("partsIn")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isPart = (of: string) => fs.exists(path.join(of, manifestName))
  if (yield* isPart(directory)) return [yield* readManifest(directory)]
  if (!(yield* fs.exists(directory))) return []
  const names = (yield* fs.readDirectory(directory)).filter((name) => !name.startsWith(".")).sort()
  const found = yield* Effect.filter(names, (name) => isPart(path.join(directory, name)))
  return yield* Effect.forEach(found, (name) => readManifest(path.join(directory, name)))
})

const missing = (table: PgArchive.ArchivedTable): ArchiveFile => ({
  table,
  rows: 0,
  bytes: 0,
  sha256: "",
  columns: [],
  pages: []
})

/** Returns the manifest's entry for a table's file. If the manifest has no such entry, returns an empty one. */
export const fileOf = ({ manifest }: ReadPart, table: PgArchive.ArchivedTable): ArchiveFile =>
  manifest.files.find((file) => file.table === table) ?? missing(table)

/**
 * Returns the lines of one page of a table's file. Empty if the part lacks that page. Fails with `ArchiveUnusable` if
 * the page cannot be decompressed or its number of lines differs from the manifest.
 */
export const pageLines = Effect.fn("pageLines")(function* (
  part: ReadPart,
  table: PgArchive.ArchivedTable,
  page: number
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const name = path.join(part.directory, fileName(table))
  const { pages } = fileOf(part, table)
  const given = pages[page]
  if (given === undefined) return []
  const offset = pages.slice(0, page).reduce((total, { bytes }) => total + bytes, 0)
  const chunks = yield* Stream.runCollect(fs.stream(name, { offset, bytesToRead: given.bytes }))
  const text = yield* Effect.try({
    try: () => gunzipSync(Buffer.concat([...chunks])).toString("utf8"),
    catch: () => damaged(name, `page ${page + 1} cannot be read`)
  })
  const lines = text.split("\n").slice(0, -1)
  return lines.length === given.rows ? lines : yield* damaged(name, `page ${page + 1} has a wrong number of rows`)
})

const decodeEvent = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ id: Schema.String, occurred_at: Schema.DateTimeUtcFromString }))
)
const decodeDelivery = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ id: Schema.String, event_id: Schema.String }))
)
const decodeAttempt = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ delivery_id: Schema.String })))
const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/**
 * Reads page `page` of the events, with their deliveries and attempts. Fails like `pageLines`. Also fails with
 * `ArchiveUnusable` if a row is invalid, an event belongs to another month, or a delivery or attempt belongs to no
 * event of the page.
 */
export const verifiedPage = Effect.fn("verifiedPage")(function* (part: ReadPart, page: number) {
  const { directory, manifest } = part
  const event = yield* pageLines(part, "event", page)
  const delivery = yield* pageLines(part, "delivery", page)
  const attempt = yield* pageLines(part, "delivery_attempt", page)
  const wrong = (detail: string) => damaged(directory, `on page ${page + 1}, ${detail}`)
  const row = <A, E>(decoded: Effect.Effect<A, E>) =>
    Effect.mapError(decoded, () => wrong("a row is not a valid record"))
  const ids = new Set<string>()
  for (const line of event) {
    const { id, occurred_at } = yield* row(decodeEvent(line))
    if (PgArchive.monthOf(occurred_at) !== manifest.month) {
      return yield* wrong(`the event ${id} belongs to another month`)
    }
    ids.add(id)
  }
  const deliveries = new Set<string>()
  for (const line of delivery) {
    const { event_id, id } = yield* row(decodeDelivery(line))
    if (!ids.has(event_id)) return yield* wrong(`the delivery ${id} belongs to none of its events`)
    deliveries.add(id)
  }
  for (const line of attempt) {
    const { delivery_id } = yield* row(decodeAttempt(line))
    if (!deliveries.has(delivery_id)) return yield* wrong("an attempt belongs to none of its deliveries")
  }
  const verified: PgArchive.VerifiedPage = { ids: [...ids], event, delivery, delivery_attempt: attempt }
  return verified
})

/** Fails unless a table's file exists and matches its entry in the manifest. */
const verifyFile = Effect.fnUntraced(function* (part: ReadPart, file: ArchiveFile) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const name = path.join(part.directory, fileName(file.table))
  const hash = createHash("sha256")
  let bytes = 0
  yield* Stream.runForEach(fs.stream(name), (chunk) =>
    Effect.sync(() => {
      hash.update(chunk)
      bytes += chunk.byteLength
    })
  ).pipe(Effect.mapError(() => damaged(name, "cannot be read")))
  const sum = (of: "rows" | "bytes") => file.pages.reduce((total, page) => total + page[of], 0)
  if (bytes !== file.bytes || hash.digest("hex") !== file.sha256) {
    return yield* damaged(name, "differs from the file that was written")
  }
  if (sum("bytes") !== file.bytes || sum("rows") !== file.rows) {
    return yield* damaged(name, "the manifest is inconsistent")
  }
  const columns = [...file.columns].sort().join(" ")
  for (const [page] of file.pages.entries()) {
    for (const line of yield* pageLines(part, file.table, page)) {
      const row = yield* Effect.mapError(decodeRow(line), () => damaged(name, "a row is not a valid record"))
      if (Object.keys(row).sort().join(" ") !== columns)
        return yield* damaged(name, "a row's columns differ from the manifest")
    }
  }
})

const tables = ["merchant", "webhook_endpoint", "event", "delivery", "delivery_attempt"] as const

/**
 * Reads every byte of a part. Fails with `ArchiveUnusable` at the first fault. The manifest must list each table once,
 * every file must match the manifest, and `verifiedPage` must accept every page.
 */
export const verifyPart = Effect.fn("verifyPart")(function* (part: ReadPart) {
  const { directory, manifest } = part
  const named = manifest.files.map(({ table }) => table).sort()
  if (named.join(" ") !== [...tables].sort().join(" ")) return yield* damaged(directory, "a table is missing")
  for (const file of manifest.files) yield* verifyFile(part, file)
  const byPage = ["event", "delivery", "delivery_attempt"] as const
  const length = Math.max(...byPage.map((table) => fileOf(part, table).pages.length))
  for (let page = 0; page < length; page += 1) yield* verifiedPage(part, page)
})
