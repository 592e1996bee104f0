import * as Finding from "@surety/core/DoctorFinding"
import { Readiness } from "@surety/core/Readiness"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { toleratedSkewMillis } from "@surety/postgres/PgClock"
import * as PgDurability from "@surety/postgres/PgDurability"
import * as PgRoles from "@surety/postgres/PgRoles"
import { DateTime, Effect, Exit } from "effect"
import * as App from "../App.js"
import * as CellDatabases from "../cells/CellDatabases.js"
import { openMoves } from "../cells/openMoves.js"
import * as Database from "../Database.js"
import type { CellSettings } from "../settings/cellSettings.js"
import { cellsOf, type Settings, settingTable } from "../settings/Settings.js"

/** Age in minutes at which a pending refund counts as late. */
const lateMinutes = 10

const counted = 100

/** Compares this machine's clock with the database's, which `DateTime.now` follows in the app. */
const checkClock = Effect.gen(function* () {
  const own = Date.now()
  const millis = own - DateTime.toEpochMillis(yield* DateTime.now)
  const off = `${(Math.abs(millis) / 1000).toFixed(1)} s ${millis < 0 ? "behind" : "ahead of"} the database's`
  return Math.abs(millis) <= toleratedSkewMillis
    ? Finding.ok("clock", `This machine's clock is at most ${toleratedSkewMillis / 1000} s off the database's.`)
    : Finding.fault("clock", `This machine's clock is ${off}. Check the time service of both (chronyc tracking).`)
})

const checkAgain = "Check that the database responds and takes writes, then run surety doctor again."

const notChecked = (about: string, { message }: StoreError): Finding.Finding =>
  Finding.fault(about, `It could not be checked (${message}). ${checkAgain}`)

const checkWrites = Effect.gen(function* () {
  const { check } = yield* Readiness
  return yield* Effect.match(check, {
    onFailure: ({ message }) => Finding.fault("database", `${message} ${checkAgain}`),
    onSuccess: () => Finding.ok("database", "It has this release's tables, accepts writes and matches the secret key.")
  })
})

/** Checks that the serving role has no more privileges than it needs. */
const checkRole = (where: string) =>
  Effect.map(PgRoles.serverRights, (rights) => PgRoles.roleFinding(where, rights)).pipe(
    Effect.catch((error) => Effect.succeed(notChecked(where, error)))
  )

/** Reports weaknesses in durability, and an untested isolation level, as advice rather than as a fault. */
const checkDurability = (where: string) =>
  Effect.gen(function* () {
    const weaknesses = PgDurability.weaknesses(yield* PgDurability.read)
    return weaknesses.length === 0
      ? Finding.ok(where, "A commit is on disk before it is confirmed.")
      : Finding.advice(where, weaknesses.join(" "))
  }).pipe(Effect.catch((error) => Effect.succeed(notChecked(where, error))))

/**
 * Checks for unfinished moves, for remnants of earlier moves, and for rows of merchants that are in another cell. Each
 * may mean that writes are blocked, or that a cell holds a second copy of personal data.
 */
const checkMoves = (settings: Settings, cells: CellSettings) =>
  Effect.match(openMoves(settings, cells), {
    onFailure: (error) => [
      error._tag === "StoreError" ? notChecked("moves", error) : Finding.fault("moves", error.message)
    ],
    onSuccess: (open) =>
      open.length === 0
        ? [Finding.ok("moves", "No merchant is being moved, and no cell has rows of another cell's merchant.")]
        : open.map((sentence) => Finding.advice("moves", sentence))
  })

/**
 * Returns the role and durability checks for the single PostgreSQL database, or for each cell's database. Empty with
 * the embedded database.
 */
const checkDatabases = (settings: Settings) => {
  const cells = cellsOf(settings)
  if (cells !== undefined) {
    return cells.flatMap((cell) =>
      [checkRole(`role in ${cell.name}`), checkDurability(`durability of ${cell.name}`)].map((check) =>
        check.pipe(
          Effect.provide(CellDatabases.layerOf(settings, cell)),
          Effect.catch(({ message }) => Effect.succeed(Finding.fault(`cell ${cell.name}`, message)))
        )
      )
    )
  }
  return settings.databaseUrl === undefined ? [] : [checkRole("role"), checkDurability("durability")]
}

const checkRefunds = (settings: Settings) =>
  Effect.gen(function* () {
    const store = yield* RefundStore
    const now = yield* DateTime.now
    const late = yield* store.due(now, DateTime.subtract(now, { minutes: lateMinutes }), counted)
    if (late.length === 0) return Finding.ok("refunds", `None pending for more than ${lateMinutes} minutes.`)
    const { name } = settingTable.walletUrl
    const advice =
      settings.walletUrl === undefined
        ? `${name} is not set, so no server calls the wallet that they wait for. Set it again.`
        : 'See "A hook fails" in docs/embedding/runbooks.md.'
    const count = late.length === counted ? `${counted} or more` : String(late.length)
    return Finding.fault("refunds", `${count} pending for more than ${lateMinutes} minutes. ${advice}`)
  }).pipe(Effect.catch((error) => Effect.succeed(notChecked("refunds", error))))

/**
 * Checks the database's tables, writes and keys, the clock, role, durability, refunds and, with cells, moves. Creates
 * and changes nothing. Skips everything if another process has the embedded database open.
 */
export const checkDatabase = (settings: Settings) =>
  Effect.gen(function* () {
    const opened = yield* Effect.exit(App.open(settings, "read"))
    if (Exit.isSuccess(opened)) {
      const checks = [checkWrites, checkClock, ...checkDatabases(settings), checkRefunds(settings)]
      const found = yield* Effect.provideContext(Effect.all(checks), opened.value.app)
      const cells = cellsOf(settings)
      return cells === undefined ? found : [...found, ...(yield* checkMoves(settings, cells))]
    }
    return yield* Effect.failCause(opened.cause)
  }).pipe(
    Effect.scoped,
    Effect.catch(({ isInUse, message }) =>
      Effect.succeed([
        isInUse === true
          ? Finding.skipped(
              "database",
              `${Database.describe(settings)} is open in a running server, which checks it itself.`
            )
          : Finding.fault("database", message)
      ])
    )
  )
