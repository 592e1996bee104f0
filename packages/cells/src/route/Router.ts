import type { MerchantId } from "@surety/core/Ids"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Array as Arr, Cache, type Context, Duration, Effect, Exit, Option, Schema, Scope } from "effect"
import type { CellName } from "../Cells.js"
import { type CellParts, Cells, CellUnavailable, PlaceTtl, placeTtl } from "../Cells.js"
import { CellDirectory } from "../directory/CellDirectory.js"
import { isRead } from "../reads.js"
import { writesTo } from "./Commit.js"

/** Services of one cell: its storage ports, `PersonRows` and `CellDatabase`. */
export type Stores = Context.Context<CellParts>

export type Use<A, E = StoreError, R = never> = (stores: Stores) => Effect.Effect<A, E, R>

const placesKept = 100_000

const isStoreError = Schema.is(StoreError)

const downAs = (operation: string, cell: CellName, cause: unknown): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause: new CellUnavailable({ cell, cause }) }) })

const named =
  (cell: CellName) =>
  <E>(error: E): E | StoreError =>
    isStoreError(error) && error.reason._tag === "StoreUnavailable"
      ? downAs(error.operation, cell, error.reason.cause)
      : error

/** Builds the router, which finds cells and runs operations in them. */
export const makeRouter = Effect.gen(function* () {
  const { home, layers, names, open } = yield* Cells
  const directory = yield* CellDirectory
  const ttl = Duration.min(yield* PlaceTtl, placeTtl)

  /**
   * Runs `use` in one cell, in the commit's transaction if the fiber has a commit there. In a trial, a write ends the
   * trial instead of running.
   */
  const at =
    (cell: CellName, operation: string) =>
    <A, E, R>(use: Use<A, E, R>): Effect.Effect<A, E | StoreError, R> => {
      const stores = (scope: Scope.Scope) =>
        Scope.provide(layers.contextEffect(cell), scope).pipe(
          Effect.tapError(() => layers.invalidate(cell)),
          Effect.mapError((cause) => downAs(operation, cell, cause))
        )
      const used = Effect.acquireUseRelease(
        Scope.make(),
        (scope) => Effect.flatMap(stores(scope), (found) => Effect.mapError(use(found), named(cell))),
        Scope.close
      )
      return isRead(operation) ? used : Effect.andThen(writesTo(cell), used)
    }

  const places = yield* Cache.makeWith((id: MerchantId) => directory.find(id), {
    capacity: placesKept,
    timeToLive: (exit) =>
      Exit.isSuccess(exit) && Option.isSome(exit.value) && !exit.value.value.isMoving ? ttl : Duration.zero
  })

  /** Returns the merchant's cell. Merchants that do not exist map to the home cell. */
  const cellOf = (merchantId: MerchantId): Effect.Effect<CellName, StoreError> =>
    Effect.map(Cache.get(places, merchantId), Option.match({ onNone: () => home, onSome: ({ cell }) => cell }))

  /** Runs `use` in the merchant's cell. */
  const of =
    (merchantId: MerchantId, operation: string) =>
    <A, E>(use: Use<A, E>): Effect.Effect<A, E | StoreError> =>
      Effect.flatMap(cellOf(merchantId), (cell) => at(cell, operation)(use))

  const atHome = (operation: string) => at(home, operation)

  /** Runs `use` in every cell and returns the results in the order of the settings. Fails if any cell fails. */
  const all =
    (operation: string) =>
    <A, E>(use: Use<A, E>): Effect.Effect<Arr.NonEmptyArray<A>, E | StoreError> =>
      Effect.forEach(names, (cell) => at(cell, operation)(use), { concurrency: "unbounded" })

  /**
   * Asks every cell and returns the first result in the order of the settings, together with its cell. A cell that is
   * down does not hide another's record. Fails if a cell is down and no other has the record.
   */
  const search =
    (operation: string) =>
    <A, E>(use: Use<Option.Option<A>, E>): Effect.Effect<Option.Option<readonly [CellName, A]>, E | StoreError> =>
      Effect.flatMap(
        Effect.forEach(
          names,
          (cell) =>
            Effect.exit(
              Effect.map(
                at(cell, operation)(use),
                Option.map((found) => [cell, found] as const)
              )
            ),
          { concurrency: "unbounded" }
        ),
        (exits) => {
          const found = exits.find((exit) => Exit.isSuccess(exit) && Option.isSome(exit.value))
          return found ?? exits.find(Exit.isFailure) ?? Effect.succeedNone
        }
      )

  /**
   * Like `search`, for a merchant's record: returns the record in the cell that the directory names. Another cell may
   * have an outdated copy while the merchant moves. A record without a merchant is in one cell only.
   */
  const searchOwn =
    <A>(operation: string, ownerOf: (found: A) => MerchantId | undefined) =>
    <E>(use: Use<Option.Option<A>, E>): Effect.Effect<Option.Option<readonly [CellName, A]>, E | StoreError> =>
      Effect.gen(function* () {
        const found = yield* search(operation)(use)
        if (Option.isNone(found)) return found
        const [cell, record] = found.value
        const owner = ownerOf(record)
        const own = owner === undefined ? cell : yield* cellOf(owner)
        if (own === cell) return found
        return Option.map(yield* at(own, operation)(use), (current) => [own, current] as const)
      })

  let turns = 0
  /**
   * Collects up to `limit` results across cells, keeping each cell's order. Asks each cell in turn for an equal share,
   * then asks the cells that filled their shares for the remainder. Successive calls start with successive cells. A
   * cell that is down is skipped if another responds, so it cannot stop the work of other cells.
   */
  const gather =
    (operation: string) =>
    <A>(limit: number, use: (stores: Stores, limit: number) => Effect.Effect<ReadonlyArray<A>, StoreError>) =>
      Effect.gen(function* () {
        turns += 1
        const first = turns % names.length
        const inTurn = [...names.slice(first), ...names.slice(0, first)]
        const gathered: Array<A> = []
        let failure: StoreError | undefined
        let answered = 0
        const ask = Effect.fnUntraced(function* (cell: CellName, most: number) {
          const result = yield* Effect.result(at(cell, operation)((stores) => use(stores, most)))
          if (result._tag === "Success") {
            answered += 1
            gathered.push(...result.success)
            return result.success.length === most
          }
          failure = result.failure
          yield* Effect.annotateLogs(Effect.logWarning(`Cell skipped: ${failure.message}`), "cell", cell)
          return false
        })
        const share = Math.ceil(limit / names.length)
        const busy: Array<CellName> = []
        for (const cell of inTurn) {
          const most = Math.min(share, limit - gathered.length)
          if (most > 0 && (yield* ask(cell, most))) busy.push(cell)
        }
        if (Number.isFinite(limit)) {
          for (const cell of busy) if (gathered.length < limit) yield* ask(cell, limit - gathered.length)
        }
        if (answered === 0 && failure !== undefined) return yield* Effect.fail(failure)
        return gathered
      })

  /** Like `gather`, for read-only operations: runs `use` in every cell and returns the first `limit` results by id. */
  const gatherSorted =
    (operation: string) =>
    <A extends string>(limit: number, use: (stores: Stores) => Effect.Effect<ReadonlyArray<A>, StoreError>) =>
      Effect.map(gather(operation)(Number.POSITIVE_INFINITY, use), (ids) => ids.sort().slice(0, limit))

  /** Like `gather`, for operations that return a count. */
  const gatherCount =
    (operation: string) => (limit: number, use: (stores: Stores, limit: number) => Effect.Effect<number, StoreError>) =>
      Effect.map(
        gather(operation)(limit, (stores, rest) =>
          Effect.map(use(stores, rest), (count) => Arr.makeBy(count, () => undefined).slice(0, count))
        ),
        (taken) => taken.length
      )

  return {
    home,
    names,
    open,
    directory,
    at,
    of,
    atHome,
    all,
    search,
    searchOwn,
    gather,
    gatherSorted,
    gatherCount,
    cellOf
  }
})

export type Router = Effect.Success<typeof makeRouter>
