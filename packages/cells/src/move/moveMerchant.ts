import type { MerchantId } from "@surety/core/Ids"
import type { StoreError } from "@surety/core/StoreError"
import { Clock, Duration, Effect, Exit, Option } from "effect"
import * as CellDatabase from "../CellDatabase.js"
import { type CellName, placeTtl } from "../Cells.js"
import { CellDirectory, type MerchantMove } from "../directory/CellDirectory.js"
import { makeCopiedPeople } from "../route/People.js"
import { makeRouter } from "../route/Router.js"
import { MoveFailed, MoveRefused, type MoveStep } from "./MoveFailed.js"
import * as MoveFence from "./MoveFence.js"
import { databaseOf, giveUp, isCurrent, type Sides, sidesOf, unless } from "./Sides.js"
import { finish, lead, leaveByDefault } from "./settleMove.js"
import { differing, rowsOf } from "./totals.js"

export interface MoveOptions {
  /**
   * Minimum time between the directory's record of the move and the refusal of writes. During this time, every
   * process's cache of the merchant's cell expires. Default: 6 seconds, which is `placeTtl` plus 1 second.
   */
  readonly settleFor?: Duration.Duration
  /** Longest wait for webhooks in flight. Webhooks that take longer are sent again. Default: 5 seconds. */
  readonly drainFor?: Duration.Duration
  /**
   * Longest time for which writes may be refused before the merchant arrives. A move that needs longer is given up.
   * Rows are stored during this time, so a merchant too large for it is refused before any row is copied. Default: 50
   * seconds.
   */
  readonly longestStop?: Duration.Duration
  /**
   * Wait before the merchant's rows in the source cell are deleted. Calls that looked up the merchant before the switch
   * can finish meanwhile. Default: 6 seconds, longer than the default timeout of a store operation.
   */
  readonly leaveAfter?: Duration.Duration
  readonly onStep?: (step: MoveStep) => Effect.Effect<void>
}

/** A completed move. `rows` counts the first copy's rows: 0 if the merchant had already arrived in an earlier run. */
export interface Moved {
  readonly from: CellName
  readonly to: CellName
  readonly rows: number
  /** How long the merchant's writes were refused, or `None` if the merchant had already arrived in an earlier run. */
  readonly refusedFor: Option.Option<Duration.Duration>
}

const settleByDefault = Duration.sum(placeTtl, Duration.seconds(1))
const drainByDefault = Duration.seconds(5)
const drainPause = Duration.millis(20)
const longestStopByDefault = Duration.seconds(50)

/**
 * Assumed rate at which a cell stores rows. The measured rate was higher, with other work demanding twice the CPU's
 * capacity (docs/embedding/scaling.md).
 */
const rowsPerSecond = 15_000

/** Maximum retries to lock the order of events while writes are refused: about two seconds in all. */
const triesWhileClosed = 8

/**
 * Maximum number of rounds per catch-up while writes are accepted. If they do not suffice, the merchant writes faster
 * than its rows are copied.
 */
const rounds = 50

/**
 * While writes are accepted, a catch-up ends after a round with fewer changed keys than this. A later catch-up copies
 * the rest.
 */
const fewChanges = 200

/** Copies people to the target before the rows that refer to them are stored there. */
const copyPeople = Effect.fnUntraced(function* ({ to }: MerchantMove, { arrival, departure }: Sides) {
  const people = makeCopiedPeople(yield* makeRouter)
  const missing = yield* arrival.missingPeople
  if (missing.length === 0) return
  yield* arrival.addErased(yield* departure.erased(missing.map(({ userId }) => userId)))
  yield* Effect.forEach(
    yield* arrival.missingPeople,
    ({ environment, userId }) => people.copy(to, { environment, userId }),
    { concurrency: 4, discard: true }
  )
})

const catchUp = Effect.fnUntraced(function* ({ arrival, departure }: Sides) {
  const changes = yield* departure.takeChanges
  if (changes.length > 0) yield* arrival.replace(changes)
  return changes.reduce((sum, { keys }) => sum + keys.length, 0)
})

const catchUpAll = (sides: Sides): Effect.Effect<void, StoreError | MoveFailed> =>
  Effect.flatMap(catchUp(sides), (count) => (count === 0 ? Effect.void : catchUpAll(sides)))

const catchUpUntilFew = Effect.fnUntraced(function* (sides: Sides) {
  for (let round = 0; round < rounds; round += 1) if ((yield* catchUp(sides)) < fewChanges) return
  return yield* new MoveFailed({ step: "caughtUp", detail: "the merchant writes faster than its rows are copied" })
})

const drain = Effect.fnUntraced(function* ({ departure }: Sides, drainFor: Duration.Duration) {
  const began = yield* Clock.currentTimeMillis
  while (yield* departure.isSending) {
    if ((yield* Clock.currentTimeMillis) - began >= Duration.toMillis(drainFor)) return
    yield* Effect.sleep(drainPause)
  }
})

/**
 * Gives up the move after a failure and ends it. If the merchant has arrived nevertheless, switches the directory to
 * the target and releases the parked work. If giving up fails and the target was never asked to store the rows, reopens
 * the source cell alone. Logs its own failures.
 */
const endAfterFailure = (move: MerchantMove, sides: Sides, arrival: "NotSent" | "Sent") =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const ending = yield* giveUp(sides).pipe(
      Effect.tapError(() => (arrival === "NotSent" ? sides.departure.reopenOwn : Effect.void))
    )
    if (ending === "GivenUp") yield* directory.endMove(move)
    if (ending !== "Arrived") return
    yield* lead(move, sides)
    yield* sides.arrival.begin
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(
        "Move could not be ended; the merchant's writes may be refused until the move is run again",
        cause
      )
    )
  )

/**
 * Fails with `MoveFailed` once writes have been refused for `longestStop`. `refusedAt` is in milliseconds since the
 * epoch.
 */
const withinStop =
  (refusedAt: number, step: MoveStep, { longestStop = longestStopByDefault }: MoveOptions) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | MoveFailed, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.timeoutOrElse(self, {
        duration: Duration.millis(Math.max(0, refusedAt + Duration.toMillis(longestStop) - now)),
        orElse: () =>
          new MoveFailed({
            step,
            detail: `the merchant's writes would be refused for more than ${Duration.format(longestStop)}`
          })
      })
    )

const refuseLarge = Effect.fnUntraced(function* (
  { departure }: Sides,
  { longestStop = longestStopByDefault }: MoveOptions
) {
  const expected = rowsOf(yield* departure.totals)
  const seconds = Math.ceil(expected / rowsPerSecond)
  if (seconds <= Duration.toSeconds(longestStop)) return
  return yield* new MoveRefused({
    detail:
      `storing its ${expected} rows would stop its writes for about ${seconds} s, longer than ` +
      Duration.format(longestStop)
  })
})

/**
 * Refuses the merchant's writes, parks its work, waits for webhooks in flight and copies the remaining changes and
 * people. Fails with `MoveFailed` if the copy's totals differ, another run has taken over, or a necessary epoch cannot
 * begin.
 */
const closeAndComplete = Effect.fnUntraced(function* (
  move: MerchantMove,
  sides: Sides,
  { drainFor = drainByDefault, onStep = () => Effect.void }: MoveOptions
) {
  const { arrival, departure } = sides
  yield* Effect.flatMap(departure.closing, unless("closing"))
  yield* Effect.flatMap(departure.park, unless("closing"))
  yield* onStep("closing")
  yield* drain(sides, drainFor)
  yield* Effect.flatMap(departure.close, unless("closed"))
  yield* onStep("closed")
  yield* catchUpAll(sides)
  yield* arrival.keepParked(yield* departure.parked)
  yield* copyPeople(move, sides)
  const [here, there] = yield* Effect.all([departure.totals, arrival.totals], { concurrency: 2 })
  const missing = differing(here, there)
  if (missing.length > 0) {
    return yield* new MoveFailed({ step: "complete", detail: `the copy differs in ${missing.join(", ")}` })
  }
  // Begins another epoch only if an event copied meanwhile has the target's current epoch or a later one.
  yield* arrival.beginEpoch(triesWhileClosed)
  yield* onStep("complete")
})

/**
 * Copies the merchant's rows and refuses its writes, so the rows are ready to be stored in the target. Returns the row
 * count and when the refusal began, in milliseconds since the epoch.
 */
const bringOver = Effect.fnUntraced(function* (
  move: MerchantMove,
  sides: Sides,
  begunAt: number,
  options: MoveOptions
) {
  const { onStep = () => Effect.void, settleFor = settleByDefault } = options
  const { arrival, departure } = sides
  yield* refuseLarge(sides, options)
  yield* Effect.flatMap(arrival.holding(departure.open), unless("opened"))
  yield* Effect.flatMap(isCurrent(move), unless("opened"))
  yield* onStep("opened")
  yield* arrival.prepare
  const digests = yield* CellDatabase.failing("Departure.copy")(departure.copy(arrival.insert))
  yield* onStep("copied")
  const wrong = differing(digests, yield* arrival.digests)
  if (wrong.length > 0) {
    return yield* new MoveFailed({ step: "compared", detail: `the copy differs in ${wrong.join(", ")}` })
  }
  yield* arrival.analyze
  const rows = rowsOf(digests)
  yield* onStep("compared")
  yield* catchUpUntilFew(sides)
  yield* copyPeople(move, sides)
  const passed = (yield* Clock.currentTimeMillis) - begunAt
  yield* Effect.sleep(Math.max(0, Duration.toMillis(settleFor) - passed))
  yield* catchUpUntilFew(sides)
  yield* onStep("caughtUp")
  // Runs before writes are refused, since a backup of the cell may hold up a new epoch.
  yield* arrival.beginEpoch(MoveFence.triesByDefault)
  yield* catchUpUntilFew(sides)
  yield* onStep("ordered")
  yield* Effect.flatMap(departure.park, unless("parked"))
  yield* onStep("parked")
  const refusedAt = yield* Clock.currentTimeMillis
  yield* closeAndComplete(move, sides, options).pipe(withinStop(refusedAt, "complete", options))
  return { rows, refusedAt }
})

/**
 * Moves a merchant to another cell. Its writes are refused while the last changes are copied and its rows are stored.
 * Reads and other merchants' writes continue. Call it again to resume an interrupted move from any step.
 *
 * Fails with `MoveRefused` if the move cannot begin or the merchant has too many rows. Fails with `MoveFailed` if the
 * move does not finish, and with `StoreError` if a cell or the directory fails. A failure between the start of the copy
 * and the arrival gives up the move, and writes continue in the source cell. If giving up fails too, writes may stay
 * refused until the next call. After the arrival, the next call completes the move.
 */
export const moveMerchant = Effect.fn("moveMerchant")(function* (
  merchantId: MerchantId,
  to: CellName,
  options: MoveOptions = {}
) {
  const { leaveAfter = leaveByDefault, onStep = () => Effect.void } = options
  const directory = yield* CellDirectory
  const target = yield* databaseOf(to)
  const place = yield* directory.find(merchantId)
  if (Option.isNone(place) || !place.value.isConfirmed) {
    return yield* new MoveRefused({ detail: "merchant not found" })
  }
  const other = (yield* directory.moves).find((open) => open.merchantId === merchantId && open.to !== to)
  if (other !== undefined) {
    return yield* new MoveRefused({ detail: `it is already moving to "${other.to}"; finish or abort that move first` })
  }
  yield* MoveFence.install(target).pipe(CellDatabase.failing("MoveFence.install"))
  yield* MoveFence.install(yield* databaseOf(place.value.cell)).pipe(CellDatabase.failing("MoveFence.install"))
  yield* onStep("fenced")
  const begun = yield* directory.beginMove(merchantId, to)
  if (Option.isNone(begun)) return yield* new MoveRefused({ detail: `it is already in "${to}" or moving elsewhere` })
  const move = begun.value
  const begunAt = yield* Clock.currentTimeMillis
  yield* onStep("begun")
  const sides = yield* sidesOf(move)
  if (move.isSwitched || (yield* sides.arrival.take)) {
    yield* lead(move, sides)
    yield* finish(move, sides, leaveAfter, onStep)
    return { from: move.from, to, rows: 0, refusedFor: Option.none() } satisfies Moved
  }
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const orEnd =
        (arrival: "NotSent" | "Sent") =>
        <A, E, R>(step: Effect.Effect<A, E, R>) =>
          Effect.onExit(restore(step), (exit) =>
            Exit.isSuccess(exit) ? Effect.void : endAfterFailure(move, sides, arrival)
          )
      const { refusedAt, rows } = yield* orEnd("NotSent")(bringOver(move, sides, begunAt, options))
      yield* orEnd("Sent")(
        Effect.catchTags(sides.arrival.arrive, CellDatabase.asStoreError("Arrival.arrive")).pipe(
          withinStop(refusedAt, "arrived", options)
        )
      )
      const told = yield* Effect.exit(restore(onStep("arrived")))
      const switchedAt = yield* lead(move, sides)
      yield* told
      yield* restore(finish(move, sides, leaveAfter, onStep))
      const refusedFor = Option.some(Duration.millis(switchedAt - refusedAt))
      return { from: move.from, to, rows, refusedFor } satisfies Moved
    })
  )
}, Effect.scoped)
