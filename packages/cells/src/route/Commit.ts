import type { StoreError } from "@surety/core/StoreError"
import { Cause, Context, Effect, Exit, Option, Schema, Scope } from "effect"
import { CellName } from "../Cells.js"
import type { CellDirectory, Turn, Turns } from "../directory/CellDirectory.js"

/** Work deferred until a commit has ended. Its failure reaches the caller only if the commit succeeded. */
type Afterwards = (isCommitted: boolean) => Effect.Effect<void, StoreError>

/**
 * The commit or the trial in which a fiber's change runs. A trial runs the change up to its first write, to find the
 * cell to commit in. In a trial, `cell` is undefined.
 */
interface Commit {
  readonly cell: CellName | undefined
  /** The caller's context, outside the commit's transaction. */
  readonly outside: Context.Context<never>
  /** Turns that are held until the commit has ended. In a trial, none are taken. */
  readonly turns: Turns
  readonly afterwards: Array<Afterwards>
}

const Current: Context.Reference<Commit | undefined> = Context.Reference<Commit | undefined>(
  "@surety/cells/route/Commit",
  { defaultValue: () => undefined }
)

/** Ends a trial and names the cell of its first write. A defect, so handlers of typed errors do not catch it. */
class WritesTo extends Schema.TaggedError<WritesTo>("@surety/cells/route/Commit/WritesTo")("WritesTo", {
  cell: CellName
}) {}

const isWritesTo = Schema.is(WritesTo)

const cellWrittenTo = (cause: Cause.Cause<unknown>): Option.Option<CellName> =>
  Option.fromUndefinedOr(
    cause.reasons.flatMap((reason) =>
      Cause.isDieReason(reason) && isWritesTo(reason.defect) ? [reason.defect.cell] : []
    )[0]
  )

export type Trial<A> =
  | { readonly _tag: "Writes"; readonly cell: CellName }
  | { readonly _tag: "WroteNothing"; readonly result: A }

const tried = (outside: Commit["outside"]): Commit => ({
  cell: undefined,
  outside,
  turns: { take: () => Effect.void, held: Effect.void },
  afterwards: []
})

/**
 * Runs the change up to, but not including, its first write to a cell. A change that writes nothing runs to its end.
 */
export const trial = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<Trial<A>, E, R> =>
  Effect.flatMap(Effect.context<never>(), (outside) =>
    Effect.flatMap(
      Effect.exit(Effect.provideService(change, Current, tried(outside))),
      (exit): Effect.Effect<Trial<A>, E> => {
        if (Exit.isSuccess(exit)) return Effect.succeed({ _tag: "WroteNothing", result: exit.value })
        return Option.match(cellWrittenTo(exit.cause), {
          onNone: () => Effect.failCause(exit.cause),
          onSome: (cell) => Effect.succeed({ _tag: "Writes", cell })
        })
      }
    )
  )

/** The cell of this fiber's commit. `None` in a trial and outside any commit. */
export const currentCell: Effect.Effect<Option.Option<CellName>> = Effect.map(Current, (commit) =>
  Option.fromUndefinedOr(commit?.cell)
)

export const stage: Effect.Effect<"none" | "trial" | "commit"> = Effect.map(Current, (commit) => {
  if (commit === undefined) return "none"
  return commit.cell === undefined ? "trial" : "commit"
})

/**
 * Ends a trial because a write to this cell follows. A no-op outside a trial. An operation that writes elsewhere before
 * it writes to this cell must call this function first.
 */
export const writesTo = (cell: CellName): Effect.Effect<void> =>
  Effect.flatMap(Current, (commit) =>
    commit !== undefined && commit.cell === undefined ? Effect.die(new WritesTo({ cell })) : Effect.void
  )

/** Runs the effect outside the commit's transaction, for writes that must persist even if the commit fails. */
export const outside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Current, (commit) =>
    commit === undefined ? effect : Effect.updateContext(effect, (_: Context.Context<never>) => commit.outside)
  )

/**
 * Runs `act` once the commit has ended, while its turns are still held. In a trial, drops `act`. Without a
 * commit or trial, runs it immediately as if committed.
 */
export const afterwards = (act: Afterwards): Effect.Effect<void, StoreError> =>
  Effect.flatMap(Current, (commit) => {
    if (commit === undefined) return act(true)
    return Effect.sync(() => {
      commit.afterwards.push(act)
    })
  })

/**
 * Returns turns on one directory connection, which are held until the scope closes. Taking a turn again is a no-op. The
 * connection is opened with the first turn.
 */
export const turnsOf = (directory: CellDirectory["Service"]): Effect.Effect<Turns, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const taken = new Set<Turn>()
    const holder = yield* Effect.cached(Effect.provideService(directory.turns, Scope.Scope, scope))
    return {
      take: (turn) =>
        Effect.suspend(() => {
          if (taken.has(turn)) return Effect.void
          const note = Effect.sync(() => {
            taken.add(turn)
          })
          return Effect.flatMap(holder, ({ take }) => Effect.andThen(take(turn), note))
        }),
      held: Effect.suspend(() => (taken.size === 0 ? Effect.void : Effect.flatMap(holder, ({ held }) => held)))
    }
  })

/** A commit that has begun, in a cell that may not be known yet. */
export interface Begun {
  /** Runs the effect as a commit of the cell. */
  readonly in: (cell: CellName) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Runs the deferred work for the commit's outcome `exit`, then returns that outcome. Fails if deferred work fails
   * after a successful commit.
   */
  readonly ended: <A, E>(exit: Exit.Exit<A, E>) => Effect.Effect<A, E | StoreError>
}

/** Must not be nested in another commit. */
export const begin = (turns: Turns): Effect.Effect<Begun> =>
  Effect.map(Effect.context<never>(), (caller) => {
    const later: Array<Afterwards> = []
    return {
      in: (cell) => (effect) =>
        Effect.provideService(effect, Current, { cell, outside: caller, turns, afterwards: later }),
      ended: (exit) =>
        Effect.gen(function* () {
          for (const act of later) yield* Exit.isSuccess(exit) ? act(true) : Effect.ignore(act(false))
          return yield* exit
        })
    }
  })

/** Runs the effect as a commit of the cell. Joins the fiber's commit, or ends its trial, if any. */
export const within =
  (cell: CellName, turns: Turns) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.flatMap(Current, (commit): Effect.Effect<A, E | StoreError, R> => {
      if (commit !== undefined) return Effect.andThen(writesTo(cell), effect)
      return Effect.flatMap(begin(turns), (begun) => Effect.flatMap(Effect.exit(begun.in(cell)(effect)), begun.ended))
    })

/** Wraps a commit's change so that each run first drops the work that an earlier run deferred. */
export const restarted = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (commit) => {
    commit?.afterwards.splice(0)
    return change
  })

/** Returns the turns of the fiber's commit or trial, or `turns` outside one. A trial takes no turn. */
export const turnsHere = (turns: Turns): Effect.Effect<Turns> => Effect.map(Current, (commit) => commit?.turns ?? turns)

/** Takes a turn through the fiber's commit, or with `turns` outside one. A trial takes no turn. */
export const takeTurn = (turns: Turns, turn: Turn): Effect.Effect<void, StoreError> =>
  Effect.flatMap(turnsHere(turns), ({ take }) => take(turn))

/** Runs the effect in a turn. Within a commit, the turn is held until the commit has ended. A trial takes no turn. */
export const inTurn =
  (directory: CellDirectory["Service"], turn: Turn) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.flatMap(
      Current,
      (commit): Effect.Effect<A, E | StoreError, R> =>
        commit === undefined ? directory.inTurn(turn)(effect) : Effect.andThen(commit.turns.take(turn), effect)
    )
