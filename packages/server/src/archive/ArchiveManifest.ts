import * as PgArchive from "@surety/postgres/PgArchive"
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One page of a table's file: a gzip member of `bytes` bytes, with one row per line. */
const FilePage = Schema.Struct({ rows: Count, bytes: Count })

/** Manifest entry of a table's file, `<table>.jsonl.gz`. The file is a series of gzip members, readable by `zcat`. */
export const ArchiveFile = Schema.Struct({
  table: PgArchive.ArchivedTable,
  rows: Count,
  bytes: Count,
  /** SHA-256 of the file's bytes, in hex. */
  sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
  /** Keys of the JSON object on each line. */
  columns: Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,62}$/u))),
  /** Page n of the deliveries or attempts holds those of the events on page n. */
  pages: Schema.Array(FilePage)
})
export type ArchiveFile = typeof ArchiveFile.Type

/**
 * Manifest of a part, stored as `manifest.json`. A part holds events of one month, archived together. The manifest
 * describes the part's files, so that every byte can be verified.
 */
export const ArchiveManifest = Schema.Struct({
  format: Schema.Literal("surety-archive-1"),
  /** The part's id in the store's `archive_part`. */
  id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)),
  month: PgArchive.ArchiveMonth,
  /** The store's latest migration, such as `11 archive`. */
  schema: Schema.String,
  writtenAt: Schema.DateTimeUtcFromString,
  files: Schema.Array(ArchiveFile)
})
export type ArchiveManifest = typeof ArchiveManifest.Type

export const manifestName = "manifest.json"

export const fileName = (table: PgArchive.ArchivedTable): string => `${table}.jsonl.gz`

const Json = Schema.fromJsonString(ArchiveManifest)

export const decodeManifest = Schema.decodeUnknownEffect(Json)
export const encodeManifest = Schema.encodeEffect(Json)

export class ArchiveUnusable extends Schema.TaggedError<ArchiveUnusable>("@surety/server/archive/ArchiveUnusable")(
  "ArchiveUnusable",
  { path: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}
