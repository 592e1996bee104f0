import type * as PgArchive from "@surety/postgres/PgArchive"
import { Console, Effect, Schema } from "effect"
import { type ArchiveFile, ArchiveUnusable } from "./ArchiveManifest.js"
import { fileOf, pageLines, partsIn, type ReadPart, verifyPart } from "./readPart.js"

const noParts = (path: string) => new ArchiveUnusable({ path, detail: "contains no archive" })

/**
 * Reads every byte of the archives in a directory and prints a summary of each. Fails with `ArchiveUnusable` at the
 * first fault, or if the directory contains no archive.
 */
export const verifyArchive = Effect.fn("verifyArchive")(function* (directory: string) {
  const parts = yield* partsIn(directory)
  if (parts.length === 0) return yield* noParts(directory)
  for (const part of parts) {
    yield* verifyPart(part)
    const rows = part.manifest.files.map(({ rows, table }) => `${rows} ${table}`).join(", ")
    yield* Console.log(`${part.directory}: ${part.manifest.month}, ${rows}, manifest ${part.manifestHash}`)
  }
  yield* Console.log("All files match their manifests.")
})

/** Tables in an order that satisfies their foreign keys. */
const inOrder = ["merchant", "webhook_endpoint", "event", "delivery", "delivery_attempt"] as const

const requireColumns = Effect.fnUntraced(function* (
  archive: PgArchive.Archive,
  { directory }: ReadPart,
  file: ArchiveFile
) {
  const unknown = yield* archive.unknownColumns(file.table, file.columns)
  if (unknown.length === 0) return
  const detail = `this release has no column ${file.table}.${unknown.join(`, ${file.table}.`)}`
  return yield* new ArchiveUnusable({ path: directory, detail })
})

const restorePart = Effect.fn("restorePart")(function* (archive: PgArchive.Archive, part: ReadPart) {
  const { manifest, manifestHash } = part
  yield* verifyPart(part)
  const kept = yield* archive.sealOf(manifest.id)
  if (kept !== undefined && kept !== manifestHash) {
    return yield* new ArchiveUnusable({
      path: part.directory,
      detail: "differs from the manifest recorded in this store"
    })
  }
  const files = inOrder.flatMap((table) => manifest.files.filter((file) => file.table === table))
  for (const file of files) yield* requireColumns(archive, part, file)
  yield* archive.beginRestore(manifest.id)
  let added = 0
  let rows = 0
  for (const file of files) {
    for (const [page, { rows: given }] of file.pages.entries()) {
      if (given === 0) continue
      const restored = yield* archive.restore(file.table, file.columns, yield* pageLines(part, file.table, page))
      if (file.table === "merchant" || file.table === "webhook_endpoint") continue
      added += restored
      rows += given
    }
  }
  yield* archive.restored(manifest.id)
  yield* Console.log(`${part.directory}: ${added} rows restored, ${rows - added} already existed`)
})

const decodeMerchant = Schema.decodeEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Returns the UUIDs of the merchants whose rows are in a directory's archives. */
export const merchantsIn = Effect.fn("merchantsIn")(function* (directory: string) {
  const found = new Set<string>()
  for (const part of yield* partsIn(directory)) {
    for (const page of fileOf(part, "merchant").pages.keys()) {
      for (const line of yield* pageLines(part, "merchant", page)) {
        const { id } = yield* Effect.mapError(
          decodeMerchant(line),
          () => new ArchiveUnusable({ path: part.directory, detail: "a merchant is not a valid record" })
        )
        found.add(id)
      }
    }
  }
  return [...found]
})

/**
 * Restores the archives in a directory to the store, one by one, without changing existing rows. Verifies each archive
 * before restoring it, including the manifest's hash if the store has it. Fails with `ArchiveUnusable` at the first
 * fault, or if the directory contains no archive. If the process is killed, nothing is lost; run the restore again.
 */
export const restoreArchive = Effect.fn("restoreArchive")(function* (archive: PgArchive.Archive, directory: string) {
  const parts = yield* partsIn(directory)
  if (parts.length === 0) return yield* noParts(directory)
  for (const part of parts) yield* restorePart(archive, part)
})
