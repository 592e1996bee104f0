import { UserId } from "@surety/core/Ids"
import type { AccountKey } from "@surety/core/ledger/Account"
import { transferOf } from "@surety/core/ledger/OperatorTransfer"
import {
  type KeyedTransfer,
  type OperatorTransferPlan,
  OperatorTransferStore,
  type PostOutcome
} from "@surety/core/ledger/OperatorTransferStore"
import type { StoreError } from "@surety/core/StoreError"
import { Context, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import { personTurn, type Turn } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import type { Router } from "./Router.js"
import { makeTurnFence } from "./TurnFence.js"
import { makeDrawnPartsOf, summed } from "./walletParts.js"

const transfersOf = Context.get(OperatorTransferStore)

/**
 * An operator's transfer for a merchant is in the merchant's cell. A transfer for a person is in the home cell. Each
 * changes only the account parts in its own cell.
 */
export const operatorTransferStore = (router: Router): OperatorTransferStore["Service"] => {
  const { at, cellOf, directory, home, names, search } = router
  const partsOf = makeDrawnPartsOf(router)
  const fence = makeTurnFence(router)

  const findIn = (cell: CellName, { idempotencyKey, posted }: OperatorTransferPlan) =>
    at(cell, "OperatorTransferStore.find")((stores) => transfersOf(stores).find(posted.environment, idempotencyKey))

  const postIn = (cell: CellName, plan: OperatorTransferPlan) =>
    at(cell, "OperatorTransferStore.post")((stores) => transfersOf(stores).post(plan))

  const existing = Option.map((earlier: KeyedTransfer): PostOutcome => ({ _tag: "Existing", ...earlier }))

  /**
   * Debits a wallet that may have parts in several cells. Runs in the person's turn, so no payment draws on the
   * wallet's balance concurrently.
   */
  const drawn = Effect.fnUntraced(function* (
    plan: OperatorTransferPlan,
    wallet: AccountKey,
    turn: Turn,
    held: Effect.Effect<void, StoreError>
  ) {
    const { amount } = plan.posted
    yield* fence.settled(turn)
    const parts = yield* partsOf(wallet)
    const holds = (balance: Option.Option<bigint>) => Option.getOrElse(balance, () => 0n) >= amount.minor
    const own = parts[names.indexOf(home)] ?? Option.none()
    const isEnough = holds(summed(parts))
    const insufficient: PostOutcome = {
      _tag: "Insufficient",
      balanceMinor: Option.getOrElse(summed(parts), () => 0n)
    }
    // The home cell would post the transfer, because its part covers the amount although the total balance does not.
    // Instead, returns the result of an earlier use of the key, or `insufficient`.
    if (!isEnough && holds(own)) return Option.getOrElse(existing(yield* findIn(home, plan)), () => insufficient)
    const outcome = yield* fence.written(
      home,
      "OperatorTransferStore.post",
      turn,
      held
    )((stores) => transfersOf(stores).post(isEnough ? { ...plan, isCovered: true } : plan))
    return outcome._tag === "Insufficient" ? insufficient : outcome
  })

  return {
    // Runs in the key's turn, so any previous use of the key is already stored or never will be. The directory records
    // each use before a cell stores it.
    post: (plan) =>
      Effect.gen(function* () {
        const turns = yield* Commit.turnsOf(directory)
        const { environment, id, merchantId } = plan.posted
        const { debit } = transferOf(plan.posted)
        const cell = merchantId === undefined ? home : yield* cellOf(merchantId)
        const name = JSON.stringify(["transfer", environment, plan.idempotencyKey])
        const posted = Effect.gen(function* () {
          yield* Commit.takeTurn(turns, name)
          const named = yield* directory.findNamed(name)
          if (Option.isSome(named)) {
            const holder = named.value.merchantId === undefined ? home : yield* cellOf(named.value.merchantId)
            const earlier = existing(yield* findIn(holder, plan))
            if (Option.isSome(earlier)) return earlier.value
          }
          yield* directory.name(name, { merchantId, id })
          if (debit.kind !== "WALLET" || plan.isCovered === true) return yield* postIn(cell, plan)
          const turn = personTurn({ environment, userId: plan.posted.userId ?? UserId.make(debit.owner) })
          yield* Commit.takeTurn(turns, turn)
          const { held } = yield* Commit.turnsHere(turns)
          return yield* drawn(plan, debit, turn, held)
        })
        return yield* Commit.within(cell, turns)(posted)
      }).pipe(Effect.scoped),
    find: (environment, idempotencyKey) =>
      Effect.map(
        search("OperatorTransferStore.find")((stores) => transfersOf(stores).find(environment, idempotencyKey)),
        Option.map(([, found]) => found)
      )
  }
}
