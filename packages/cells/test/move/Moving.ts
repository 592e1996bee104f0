import { assert } from "@effect/vitest"
import { CellDatabase } from "@surety/cells/CellDatabase"
import { type CellName, Cells, PlaceTtl } from "@surety/cells/Cells"
import type { CellDirectory } from "@surety/cells/directory/CellDirectory"
import type { MoveStep } from "@surety/cells/move/MoveFailed"
import { type MoveOptions, moveMerchant } from "@surety/cells/move/moveMerchant"
import { Ledger } from "@surety/core/ledger/Ledger"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import * as Past from "@surety/testing/Past"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as TestCells from "../TestCells.js"
import type * as Shop from "./Shop.js"

const { west } = TestCells

/**
 * Options for a move without waits. The tests need none, because only this process looks up merchants' cells, and it
 * never caches them.
 */
export const atOnce: MoveOptions = { settleFor: Duration.zero, leaveAfter: Duration.zero }

export const move = (shop: Pick<Shop.Shop, "merchant">, to = west, options: MoveOptions = {}) =>
  moveMerchant(shop.merchant.id, to, { ...atOnce, ...options })

/** Returns the `CellDatabase` of a cell, bypassing the router. Valid until the scope closes. */
export const databaseOf = (cell: CellName) =>
  Effect.map(TestCells.storesOf(cell), (stores) => Context.get(stores, CellDatabase))

/** Runs a statement in a transaction of the cell. The transaction stays open until the returned effect runs. */
export const heldIn = Effect.fnUntraced(function* (cell: CellName, statement: string) {
  const { sql } = yield* databaseOf(cell)
  const held = yield* Deferred.make<void, SqlError>()
  const release = yield* Deferred.make<void>()
  const holder = yield* Effect.forkScoped(
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(statement)
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(release)
        })
      )
      .pipe(Effect.onError((cause) => Deferred.failCause(held, cause)))
  )
  yield* Deferred.await(held)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holder))
})

export const holders = Effect.fnUntraced(function* ({ merchant }: Pick<Shop.Shop, "merchant">) {
  const { names } = yield* Cells
  const found = yield* Effect.forEach(names, (cell) =>
    Effect.scoped(
      Effect.gen(function* () {
        const store = Context.get(yield* TestCells.storesOf(cell), MerchantStore)
        return Option.isSome(yield* store.find(merchant.id)) ? [cell] : []
      })
    )
  )
  return found.flat()
})

/** Checks the books and receipts of both cells from the beginning. */
export const sound = Effect.gen(function* () {
  const ledger = yield* Ledger
  assert.deepStrictEqual(yield* ledger.audit, [])
  assert.deepStrictEqual((yield* ledger.auditNext(true)).faults, [])
})

/**
 * Runs a move until a step is complete, then suspends it as if its process had been killed. Closing the scope
 * interrupts the move.
 */
export const killedAfter = Effect.fnUntraced(function* (shop: Pick<Shop.Shop, "merchant">, step: MoveStep) {
  const reached = yield* Deferred.make<void>()
  yield* Effect.forkScoped(
    move(shop, west, {
      onStep: (done) =>
        done === step ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
    })
  )
  yield* Deferred.await(reached)
})

/** Runs a move and, after one of its steps, other work. Returns the move's exit. */
export const beside = Effect.fnUntraced(function* <A, E>(
  shop: Shop.Shop,
  step: MoveStep,
  other: Effect.Effect<A, E, Cells | CellDirectory>
) {
  const context = yield* Effect.context<Cells | CellDirectory>()
  const once = Effect.orDie(Effect.asVoid(Effect.provideContext(other, context)))
  return yield* Effect.exit(move(shop, west, { onStep: (done) => (done === step ? once : Effect.void) }))
})

export const layer = Layer.provideMerge(
  Past.layer,
  Layer.provide(TestCells.twoSchemas, Layer.succeed(PlaceTtl, Duration.zero))
)
