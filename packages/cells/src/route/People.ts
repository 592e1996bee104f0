import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import type { StoreError } from "@surety/core/StoreError"
import { Clock, Context, Duration, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import { type PersonChange, type PersonKey, personTurn } from "../directory/CellDirectory.js"
import { PersonRows } from "../PersonRows.js"
import * as Commit from "./Commit.js"
import type { Router } from "./Router.js"

/** How long a process remembers that a cell has a copy of a person. */
const rememberedFor = Duration.minutes(1)

const copiesKept = 100_000

const rowsOf = Context.get(PersonRows)

/**
 * Builds the operations on people across cells. The home cell holds a person's record. Each cell whose merchants deal
 * with the person has a copy for its foreign keys. The copy is made before the cell's first commit that needs it.
 */
export const makeCopiedPeople = ({ at, atHome, directory, home }: Router) => {
  // Cached for a limited time only: after an erasure, the user id may belong to another person.
  const known = new Map<string, number>()
  const isKnown = (fact: string): Effect.Effect<boolean> =>
    Effect.map(Clock.currentTimeMillis, (now) => (known.get(fact) ?? 0) > now)
  const remember = (fact: string): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (known.size >= copiesKept) known.clear()
      known.set(fact, now + Duration.toMillis(rememberedFor))
    })

  const inTurnOf = (person: PersonKey) => Commit.inTurn(directory, personTurn(person))

  const read = (cell: CellName, person: PersonKey) =>
    at(cell, "PersonRows.find")((stores) => rowsOf(stores).find(person))

  const factOf = (cell: CellName, { environment, userId }: PersonKey): string =>
    JSON.stringify([cell, environment, userId])

  const hasCopy = (cell: CellName, person: PersonKey): Effect.Effect<boolean> =>
    cell === home ? Effect.succeed(true) : isKnown(factOf(cell, person))

  /**
   * Copies the person to the cell. A no-op in a trial, or if the cell has a copy or the person does not exist. Takes
   * the person's turn, so no erasure or change overtakes the copy. Outside a commit, must not be called within a turn,
   * since it could wait for itself. The copy stays even if the commit that needs it fails.
   */
  const copy = Effect.fnUntraced(function* (cell: CellName, person: PersonKey) {
    if ((yield* hasCopy(cell, person)) || (yield* Commit.stage) === "trial") return
    yield* inTurnOf(person)(
      Commit.outside(
        Effect.gen(function* () {
          const current = yield* read(home, person)
          if (Option.isNone(current)) return
          yield* directory.addCopy(person, cell)
          yield* at(cell, "PersonRows.add")((stores) => rowsOf(stores).add(current.value))
          yield* remember(factOf(cell, person))
        })
      )
    )
  })

  const copyByServiceId = Effect.fnUntraced(function* (
    cell: CellName,
    environment: Environment,
    serviceId: ConsumerId
  ) {
    const fact = JSON.stringify([cell, environment, "service", serviceId])
    if (cell === home || (yield* isKnown(fact))) return
    const found = yield* atHome("PersonRows.findByServiceId")((stores) =>
      rowsOf(stores).findByServiceId(environment, serviceId)
    )
    if (Option.isNone(found)) return
    const person = { environment, userId: found.value.userId }
    yield* copy(cell, person)
    if (yield* hasCopy(cell, person)) yield* remember(fact)
  })

  const propagate = Effect.fnUntraced(function* ({ source, ...person }: PersonChange) {
    const row = yield* read(source, person)
    if (Option.isNone(row)) return
    const replace = (cell: CellName) => at(cell, "PersonRows.replace")((stores) => rowsOf(stores).replace(row.value))
    if (source !== home) yield* replace(home)
    const copies = (yield* directory.copies(person)).filter((cell) => cell !== home && cell !== source)
    yield* Effect.forEach(copies, replace, { concurrency: "unbounded", discard: true })
  })

  const finish = (begun: PersonChange) => Effect.andThen(propagate(begun), directory.endChange(begun))

  /** Runs outside the current commit, which may yet fail. */
  const finishAll = (person: PersonKey) =>
    Commit.outside(
      Effect.flatMap(directory.changesOf(person), (open) => Effect.forEach(open, finish, { discard: true }))
    )

  /**
   * Runs a change to the person. Changes to the same person run one at a time. First completes any change that a crash
   * or an outage left open. Afterwards copies the person's row from `source` to every other cell that has the person.
   * Within a commit, the copying waits until the commit has ended. Outside a commit, it precedes the return. If the
   * copying fails because a cell is down, the caller fails, although the change is committed. The change then stays
   * open until `resume`, or the person's next change or erasure, completes it.
   */
  const change = <A, E>(
    person: PersonKey,
    source: CellName,
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | StoreError> =>
    Effect.andThen(
      Commit.writesTo(source),
      inTurnOf(person)(
        Effect.gen(function* () {
          yield* finishAll(person)
          const begun = yield* directory.beginChange(person, source)
          const ending = Commit.afterwards(() => finish(begun))
          const result = yield* Effect.tapError(effect, () => Effect.ignore(ending))
          yield* ending
          return result
        })
      )
    )

  /** Implements `CellUpkeep.resume`. */
  const resume = (openFor: Duration.Duration, limit: number): Effect.Effect<number, StoreError> =>
    Effect.flatMap(directory.openChanges(openFor, limit), (open) =>
      Effect.map(
        Effect.forEach(open, (begun) => Effect.isSuccess(inTurnOf(begun)(finishAll(begun)))),
        (ended) => ended.filter((isEnded) => isEnded).length
      )
    )

  return { copy, copyByServiceId, hasCopy, change, settle: finishAll, resume }
}

export type People = ReturnType<typeof makeCopiedPeople>
