import * as PgArchive from "@surety/postgres/PgArchive"
import type { ShrunkPartition } from "@surety/postgres/PgPartitions"
import { Console, DateTime, Effect } from "effect"
import { ArchiveUnusable } from "./ArchiveManifest.js"
import { fileOf, partsIn, type ReadPart, readManifest, verifiedPage, verifyPart } from "./readPart.js"
import { removeUnfinished, writePart } from "./writePart.js"

/** An archive run: archives the months that ended by `before` to the directory `to`, on behalf of `by`. */
export interface ArchiveRun {
  readonly before: DateTime.Utc
  readonly to: string
  readonly by: string
}

/**
 * Finds the part's complete files in `to`, written by an earlier run. If several runs wrote them, prefers the files
 * whose manifest hash is in the store.
 */
const filesOf = Effect.fnUntraced(function* (part: PgArchive.ArchivePart, to: string) {
  const ofPart = (yield* partsIn(to)).filter(({ manifest }) => manifest.id === part.id)
  return ofPart.find(({ manifestHash }) => manifestHash === part.manifestHash) ?? ofPart[0]
})

/**
 * Returns the part's verified files, either left by an interrupted run or newly written. Undefined if nothing in the
 * month may be archived. Fails with `ArchiveUnusable` if the files are faulty. Also fails if the removal of rows began
 * with files that are not in `to`.
 */
const verifiedFiles = Effect.fnUntraced(function* (
  archive: PgArchive.Archive,
  part: PgArchive.ArchivePart,
  to: string
) {
  const found = yield* filesOf(part, to)
  if (part.status === "REMOVING" && found?.manifestHash !== part.manifestHash) {
    return yield* new ArchiveUnusable({
      path: to,
      detail: `the removal of ${part.month} began with files that are not here. Name their directory with --to.`
    })
  }
  const directory = found?.directory ?? (yield* writePart(archive, part, to))
  if (directory === undefined) return undefined
  // The files are read back from disk, even if this run wrote them.
  const written = yield* readManifest(directory)
  yield* verifyPart(written)
  return written
})

const count = (part: ReadPart, table: "event" | "delivery" | "delivery_attempt"): number => fileOf(part, table).rows

/** Archives one month. Removes rows from the store only after the month's files are written and verified. */
const archivePart = Effect.fn("archivePart")(function* (
  archive: PgArchive.Archive,
  part: PgArchive.ArchivePart,
  to: string
) {
  const files = yield* verifiedFiles(archive, part, to)
  if (files === undefined) {
    yield* removeUnfinished(part, to)
    return yield* archive.abandon(part)
  }
  if (part.status === "WRITING" && !(yield* archive.seal(part, files.manifestHash))) {
    return yield* new ArchiveUnusable({
      path: files.directory,
      detail: `another run is archiving ${part.month} to another directory. Delete this one; its run removed nothing.`
    })
  }
  const { length } = fileOf(files, "event").pages
  let changed = 0
  for (let page = 0; page < length; page += 1) {
    const taken = yield* archive.take(part, yield* verifiedPage(files, page))
    if (taken === undefined) {
      const detail = "being restored, or finished by another run. Nothing more is removed."
      return yield* new ArchiveUnusable({ path: files.directory, detail })
    }
    changed += taken.changed.length
  }
  yield* archive.finish(part)
  yield* removeUnfinished(part, to)
  yield* Console.log(
    `${part.month}: ${count(files, "event")} events, ${count(files, "delivery")} deliveries and ` +
      `${count(files, "delivery_attempt")} attempts are in ${files.directory}, manifest ${files.manifestHash}`
  )
  if (changed > 0)
    yield* Console.log(
      `${part.month}: ${changed} events also stay in the store, because they were sent again meanwhile.`
    )
})

/**
 * Prints the interrupted runs that `runArchive` would complete and the months that it would archive. Also prints the
 * months that it would skip because of pending deliveries.
 */
export const previewArchive = Effect.fn("previewArchive")(function* (
  archive: PgArchive.Archive,
  { before }: ArchiveRun
) {
  const interrupted = yield* interruptedParts(archive, before)
  for (const { month } of interrupted) yield* Console.log(`${month}: would be completed, since its run was interrupted`)
  const completed = new Set(interrupted.map(({ month }) => month))
  const months = (yield* archive.months(before)).filter(({ month }) => !completed.has(month))
  for (const { isUnfinished, month } of months) {
    yield* Console.log(isUnfinished ? unfinished(month) : `${month}: would be archived`)
  }
  if (interrupted.length + months.length === 0) yield* Console.log("Nothing to archive.")
})

const interruptedParts = (archive: PgArchive.Archive, before: DateTime.Utc) =>
  Effect.map(archive.openParts, (open) =>
    open.filter(
      ({ month, status }) => status === "REMOVING" || DateTime.isLessThanOrEqualTo(PgArchive.endOf(month), before)
    )
  )

const unfinished = (month: string): string => `${month}: stays, because it has pending deliveries`

/**
 * Archives the months that ended by `before`, except those with pending deliveries. First completes interrupted runs:
 * those for months that ended by `before`, and all that have begun to remove rows. If the process is killed, nothing is
 * lost; run the command again.
 */
export const runArchive = Effect.fn("runArchive")(function* (
  archive: PgArchive.Archive,
  { before, by, to }: ArchiveRun
) {
  const interrupted = yield* interruptedParts(archive, before)
  for (const part of interrupted) yield* archivePart(archive, part, to)
  const months = yield* archive.months(before)
  for (const { isUnfinished, month } of months) {
    if (isUnfinished) yield* Console.log(unfinished(month))
    else yield* archivePart(archive, yield* archive.begin(month, by), to)
  }
  if (interrupted.length + months.length === 0) yield* Console.log("Nothing to archive.")
})

export const printShrunk = (shrunk: ReadonlyArray<ShrunkPartition>): Effect.Effect<void> =>
  Effect.forEach(
    shrunk,
    ({ isGone, name }) =>
      Console.log(
        isGone ? `${name}: removed, because its month is over and it is empty` : `${name}: rewritten, now smaller`
      ),
    { discard: true }
  )
