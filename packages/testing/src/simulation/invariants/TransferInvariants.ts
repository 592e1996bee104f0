import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { balanceMinor } from "@surety/core/memory/ledger/MemoryBooks"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** Checks that each operator transfer moves its amount once, and overdraws only `EXTERNAL` accounts. */
export const watchTransfers = (world: World): void => {
  const { state } = world
  const fresh = new Set<OperatorTransfer>()
  observe(state.operatorTransfers, (_, before, after) => {
    if (before === undefined && after !== undefined) fresh.add(after.posted)
  })
  world.afterStep(() => {
    for (const { amount, id } of fresh) {
      const moved = [...state.transfers.values()].filter(({ cause }) => cause === id)
      world.require(
        moved.length === 1 && moved[0]?.amount.minor === amount.minor,
        "books_balance",
        () => `${world.nameOf(id)} moved money ${moved.length} times`
      )
      for (const { debit } of moved) {
        const balance = balanceMinor(state, debit) ?? 0n
        world.require(
          debit.kind === "EXTERNAL" || balance >= 0n,
          "books_balance",
          () => `${world.nameOf(id)} overdraws an account to ${balance}`
        )
      }
    }
    fresh.clear()
  })
}
