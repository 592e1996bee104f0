import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { CellDirectory, type MerchantMove } from "@surety/cells/directory/CellDirectory"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as MemoryCellDirectory from "@surety/cells/directory/MemoryCellDirectory"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { type Law, suiteOf } from "@surety/testing/Law"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Cause, Duration, Effect, Exit, Layer, Option } from "effect"
import { byName, confirmedIn, east, freshClaim, laws, west } from "./CellDirectoryLaws.js"

const everyLaw = suiteOf("CellDirectory", laws)

/** Runs four migrations concurrently, like four processes that start together. */
const migrated = Layer.effectDiscard(
  Effect.forEach([0, 1, 2, 3], () => DirectoryTables.migrate(), { concurrency: "unbounded" })
)

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 8 })))

everyLaw("memory", MemoryCellDirectory.layer)
everyLaw(
  "postgres",
  PgCellDirectory.layer().pipe(Layer.provide(migrated), Layer.provide(client), Layer.provide(RunDatabase.layer))
)

interface Broken {
  readonly how: string
  readonly caughtBy: ReadonlyArray<Law<CellDirectory>>
  readonly as: (sound: CellDirectory["Service"]) => Partial<CellDirectory["Service"]>
}

const brokenDirectories: ReadonlyArray<Broken> = [
  {
    how: "gives a claim its first cell, regardless of its other contents",
    caughtBy: [byName.emptiestFirst],
    as: ({ place }) => ({ place: (claim) => place({ ...claim, cells: [claim.cells[0]] }) })
  },
  {
    how: "places every claim",
    caughtBy: [byName.oneHolder, byName.oneExternalId, byName.takenForGood],
    as: () => ({ place: ({ cells: [cell] }) => Effect.succeed({ _tag: "Placed", cell }) })
  },
  {
    how: "forgets what it has placed",
    caughtBy: [byName.idempotent],
    as: () => ({ find: () => Effect.succeedNone })
  },
  {
    how: "takes a missing external id for one",
    caughtBy: [byName.manyWithoutExternalId],
    as: ({ place }) => ({ place: (claim) => place({ ...claim, externalId: claim.externalId ?? "" }) })
  },
  {
    how: "releases nothing",
    caughtBy: [byName.released],
    as: () => ({ release: () => Effect.succeed(false) })
  },
  {
    how: "gives a key to its last merchant",
    caughtBy: [byName.keys],
    as: () => ({ claimKey: () => Effect.succeed(true) })
  },
  {
    how: "mixes environments of a person",
    caughtBy: [byName.copies],
    as: ({ addCopy, copies }) => ({
      addCopy: (person, cell) => addCopy({ ...person, environment: "LIVE" }, cell),
      copies: (person) => copies({ ...person, environment: "LIVE" })
    })
  },
  {
    how: "gives a person several turns at once",
    caughtBy: [byName.turns],
    as: () => ({ inTurn: () => (effect) => effect })
  },
  {
    how: "gives several turns to everyone",
    caughtBy: [byName.severalTurns],
    as: () => ({ turns: Effect.succeed({ take: () => Effect.void, held: Effect.void }) })
  },
  {
    how: "leaves a name to its first record",
    caughtBy: [byName.names],
    as: ({ findNamed, name }) => ({
      name: (given, record) =>
        Effect.flatMap(findNamed(given), (named) => (Option.isSome(named) ? Effect.void : name(given, record)))
    })
  },
  {
    how: "takes every pseudonym",
    caughtBy: [byName.pseudonyms],
    as: () => ({ pseudonym: (_, proposed) => Effect.succeed(proposed) })
  },
  {
    how: "ends all changes of a person with one",
    caughtBy: [byName.changes],
    as: ({ endChange, openChanges }) => ({
      endChange: (ended) =>
        Effect.flatMap(openChanges(Duration.zero, 1_000), (open) =>
          Effect.forEach(
            open.filter(({ userId }) => userId === ended.userId),
            endChange,
            { discard: true }
          )
        )
    })
  },
  {
    how: "leads to the new cell from the start",
    caughtBy: [byName.moved, byName.notMoved],
    as: ({ beginMove, switchMove }) => ({
      beginMove: (merchantId, to) =>
        Effect.tap(beginMove(merchantId, to), (move) => (move._tag === "Some" ? switchMove(move.value) : Effect.void))
    })
  },
  {
    how: "tells no move's age",
    caughtBy: [byName.aged],
    as: ({ openMoves }) => ({ openMoves: Effect.map(openMoves, (open) => ({ ...open, oldestAge: Duration.zero })) })
  },
  {
    how: "takes over a move that goes elsewhere",
    caughtBy: [byName.oneWay],
    as: ({ beginMove, moves }) => ({
      beginMove: (merchantId, to) =>
        Effect.flatMap(moves, (open) =>
          beginMove(merchantId, open.find((move) => move.merchantId === merchantId)?.to ?? to)
        )
    })
  },
  {
    how: "lets a former attempt go on",
    caughtBy: [byName.takenOver],
    as: ({ endMove, moves, switchMove }) => {
      const current = (of: MerchantMove) =>
        Effect.map(moves, (open) => open.find(({ merchantId }) => merchantId === of.merchantId) ?? of)
      return {
        switchMove: (move) => Effect.flatMap(current(move), switchMove),
        endMove: (move) => Effect.flatMap(current(move), endMove)
      }
    }
  }
]

for (const { as, caughtBy, how } of brokenDirectories) {
  const layer = Layer.provide(
    Layer.effect(
      CellDirectory,
      Effect.map(CellDirectory, (sound) => ({ ...sound, ...as(sound) }))
    ),
    MemoryCellDirectory.layer
  )
  for (const { body, name } of caughtBy) {
    it.live(`catches a directory that ${how}: "${name}"`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.provide(Effect.scoped(body), layer))
        if (Exit.isSuccess(exit)) return assert.fail("the law passed")
        const error = Cause.squash(exit.cause)
        assert.strictEqual(error instanceof Error ? error.name : error, "AssertionError", String(error))
      })
    )
  }
}

it("catches something with every law", () => {
  const catching = new Set(brokenDirectories.flatMap(({ caughtBy }) => caughtBy))
  assert.deepStrictEqual(
    laws.filter((law) => !catching.has(law)).map(({ name }) => name),
    []
  )
})

const onOwnDatabase = PgCellDirectory.layer().pipe(
  Layer.provide(migrated),
  Layer.provideMerge(client),
  Layer.provide(Layer.fresh(RunDatabase.layer))
)

it.live("takes no name for taken if the claim that it conflicts with is gone each time", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`create function gone() returns trigger language plpgsql as 'begin return null; end'`
    yield* sql`create trigger gone before insert on surety_directory.merchant_place
      for each row execute function gone()`
    const error = yield* Effect.flip(Effect.flatMap(CellDirectory, ({ place }) => Effect.flatMap(freshClaim, place)))
    assert.strictEqual(error.reason._tag, "StoreUnavailable")
  }).pipe(Effect.provide(onOwnDatabase))
)

it.live("dates a move from its own beginning, also if an earlier release left the time of the one before", () =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const sql = yield* PgClient.PgClient
    const merchantId = yield* confirmedIn(east)
    yield* sql`update surety_directory.merchant_place set move_began_at = now() - interval '9 days'`
    yield* directory.beginMove(merchantId, west)
    const open = yield* directory.openMoves
    assert.isBelow(Duration.toMinutes(open.oldestAge), 1)
  }).pipe(Effect.provide(onOwnDatabase))
)
