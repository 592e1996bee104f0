import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { AccountPart, Books } from "@surety/core/ledger/Account"
import { accountPartText } from "@surety/core/ledger/Account"
import type { Transfer } from "@surety/core/ledger/Transfer"
import { type StoredRefund, scopedKey } from "@surety/core/memory/MemoryState"
import type { Refund } from "@surety/core/refund/Refund"
import type { Cluster } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

const isFailed = ({ status }: Refund): boolean => status === "FAILED"

/** True if an erasure is in progress and the transfer differs at most in its user id. Does not compare `at`. */
const isRenamed = (world: World, before: Transfer | undefined, after: Transfer | undefined): boolean =>
  world.erasing !== undefined &&
  before !== undefined &&
  after !== undefined &&
  isSameIn(world, before, after, ["id", "kind", "cause", "amount", "debit", "credit"])

/**
 * Checks the books. Stored balances must equal those recomputed from all transfers, and sum to zero in each set of
 * books. Transfers must not change, except that an erasure replaces the person's user id. A settlement balance may fall
 * below zero, or further below, only if its merchant may overdraw.
 */
const watchBooks = (world: World): void => {
  const { state } = world
  const folded = new Map<string, bigint>()
  const touched = new Set<string>()
  const move = (key: AccountPart, minor: bigint): void => {
    const text = accountPartText(key)
    folded.set(text, (folded.get(text) ?? 0n) + minor)
    touched.add(text)
  }
  observe(state.transfers, (id, before, after) => {
    if (isRenamed(world, before, after)) return
    if (before !== undefined || after === undefined) {
      return world.violate("books_balance", `${world.nameOf(id)} was changed or deleted`)
    }
    move(after.debit, -after.amount.minor)
    move(after.credit, after.amount.minor)
  })
  /** Pre-step balances of the accounts that the step changes. */
  const earlier = new Map<string, bigint>()
  observe(state.accounts, (text, before, after) => {
    touched.add(text)
    if (!earlier.has(text)) earlier.set(text, before?.balanceMinor ?? 0n)
    // An erasure moves the account to the pseudonym, so the recomputed balance moves with it.
    if (after !== undefined || before === undefined || world.erasing === undefined) return
    const heir = accountPartText({ ...before.key, owner: world.erasing.pseudonym })
    folded.set(heir, (folded.get(heir) ?? 0n) + (folded.get(text) ?? 0n))
    folded.delete(text)
    touched.add(heir)
  })
  world.afterStep(() => {
    if (touched.size === 0) return
    for (const text of touched) {
      const account = state.accounts.get(text)
      const stored = account?.balanceMinor ?? 0n
      const sum = folded.get(text) ?? 0n
      world.require(stored === sum, "books_balance", () => `${text} has ${stored}, its postings make ${sum}`)
      // A merchant may lose the permission to overdraw while its account is overdrawn. Only a falling balance therefore
      // needs the permission.
      const hasFallen = stored < (earlier.get(text) ?? 0n)
      if (account?.key.kind !== "SETTLEMENT" || stored >= 0n || !hasFallen) continue
      const merchant = [...state.merchants.values()].find(({ id }) => id === account.key.owner)
      world.require(
        merchant?.settings.settlementOverdraft === true,
        "books_balance",
        () => `${text} is overdrawn at ${stored}`
      )
    }
    touched.clear()
    earlier.clear()
    const totals = new Map<Books, bigint>()
    for (const { balanceMinor, key } of state.accounts.values()) {
      totals.set(key.books, (totals.get(key.books) ?? 0n) + balanceMinor)
    }
    for (const [books, total] of totals) {
      world.require(total === 0n, "books_balance", () => `all balances in the books of ${books} make ${total}`)
    }
  })
}

const refundFields = [
  "id",
  "merchantId",
  "environment",
  "paymentId",
  "amount",
  "reason",
  "merchantReference",
  "items",
  "userId",
  "serviceId",
  "createdAt"
] as const satisfies ReadonlyArray<keyof Refund>

const watchRefunds = (world: World, cluster: Cluster): void => {
  const { state } = world
  const byPayment = new Map<string, bigint>()
  const holders = new Map<string, Set<string>>()
  const movements = new Map<string, Array<Transfer>>()
  const touched = new Set<string>()
  const completions = new Map<string, Array<DomainEvent>>()
  const changed = new Set<StoredRefund>()

  observe(state.transfers, (_, before, after) => {
    if (before !== undefined && after !== undefined && isRenamed(world, before, after)) {
      const moved = movements.get(after.cause) ?? []
      movements.set(
        after.cause,
        moved.map((one) => (one.id === after.id ? after : one))
      )
    }
    if (before !== undefined || after === undefined) return
    movements.set(after.cause, [...(movements.get(after.cause) ?? []), after])
    const stored = [...state.refunds.values()].find(({ refund }) => refund.id === after.cause)
    if (stored !== undefined) changed.add(stored)
  })
  observe(state.events, (_, before, after) => {
    if (after?.event.topic !== "refund.completed" || before !== undefined) return
    completions.set(after.cause, [...(completions.get(after.cause) ?? []), after.event])
  })
  observe(state.payments, (key, before, after) => {
    checkMove(world, "payment", after?.id ?? key, before?.status, after?.status)
    touched.add(key)
    if (before === undefined || after === undefined) return
    const isSame = isSameIn(world, before, after, ["id", "amount", "userId", "method", "createdAt", "reference"])
    world.require(isSame, "lifecycle", () => `${world.nameOf(after.id)} changed more than its status and total`)
  })
  observe(state.refunds, (id, before, after) => {
    checkMove(world, "refund", id, before?.refund.status, after?.refund.status)
    if (after === undefined) return
    const { refund } = after
    const key = scopedKey(refund, refund.paymentId)
    const was = before === undefined || isFailed(before.refund) ? 0n : before.refund.amount.minor
    const is = isFailed(refund) ? 0n : refund.amount.minor
    byPayment.set(key, (byPayment.get(key) ?? 0n) + is - was)
    touched.add(key)
    changed.add(after)
    const holder = scopedKey(refund, after.idempotencyKey)
    const held = holders.get(holder) ?? new Set<string>()
    if (isFailed(refund)) held.delete(id)
    else held.add(id)
    holders.set(holder, held)
    world.require(
      held.size <= 1,
      "one_refund_per_key",
      () => `${[...held].map((one) => world.nameOf(one)).join(" and ")} have one key`
    )
    if (before === undefined) return
    const isSame =
      before.refund.status === "PENDING" || world.erasing !== undefined
        ? isSameIn(world, before.refund, refund, refundFields)
        : before.refund === refund
    world.require(isSame, "lifecycle", () => `${world.nameOf(id)} changed`)
    world.require(after.fence >= before.fence, "one_holder", () => `the fence of ${world.nameOf(id)} fell`)
    world.require(
      before.answer === undefined || before.answer === after.answer,
      "answers_never_change",
      () => `the stored answer of ${world.nameOf(id)} changed`
    )
  })
  world.afterStep(() => {
    for (const key of touched) checkTotal(world, key, byPayment.get(key) ?? 0n)
    touched.clear()
    for (const { refund } of changed) {
      const current = state.refunds.get(refund.id)
      if (current === undefined) continue
      checkMoney(world, current.refund, movements.get(refund.id) ?? [])
      checkOutcome(world, cluster, current, completions.get(refund.id) ?? [])
    }
    changed.clear()
  })
  world.atRest(() => {
    for (const { refund } of state.refunds.values()) {
      world.require(refund.status !== "PENDING", "nothing_open_for_ever", () => `${world.nameOf(refund.id)} is PENDING`)
    }
  })
}

const checkTotal = (world: World, key: string, sum: bigint): void => {
  const payment = world.state.payments.get(key)
  if (payment === undefined) {
    world.violate("refunds_within_payment", `refunds of no payment ${key}`)
    return
  }
  const { amount, id, refundedMinor } = payment
  world.require(
    sum <= amount.minor,
    "refunds_within_payment",
    () => `refunds of ${world.nameOf(id)} make ${sum} of ${amount.minor}`
  )
  world.require(
    sum === refundedMinor,
    "refunds_within_payment",
    () => `${world.nameOf(id)} says that ${refundedMinor} is refunded; its refunds make ${sum}`
  )
}

/** Checks that the refund's amount moved once from the merchant to the consumer, and back once if the refund failed. */
const checkMoney = (
  world: World,
  { amount, id, merchantId, status, userId }: Refund,
  moved: ReadonlyArray<Transfer>
) => {
  const out = moved.filter(({ kind }) => kind === "REFUND")
  const back = moved.filter(({ kind }) => kind === "REFUND_REVERSAL")
  const fits =
    out.length === 1 &&
    back.length === (status === "FAILED" ? 1 : 0) &&
    moved.length === out.length + back.length &&
    moved.every((transfer) => transfer.amount.minor === amount.minor) &&
    out.every(({ credit, debit }) => credit.owner === userId && debit.owner === merchantId) &&
    back.every(({ credit, debit }) => credit.owner === merchantId && debit.owner === userId)
  world.require(
    fits,
    "books_balance",
    () => `${world.nameOf(id)} is ${status} and moved money ${out.length} times there and ${back.length} times back`
  )
}

/**
 * Checks that a refund has one completion event and a stored response if and only if it is completed. If the host's
 * wallet holds the money, the wallet's outcome must match the status of a refund that has ended.
 */
const checkOutcome = (
  world: World,
  { custody, wallet }: Cluster,
  { answer, refund: { id, status } }: StoredRefund,
  events: ReadonlyArray<DomainEvent>
): void => {
  const isCompleted = status === "COMPLETED"
  world.require(
    events.length === (isCompleted ? 1 : 0),
    "told_iff_committed",
    () => `${world.nameOf(id)} is ${status} and has ${events.length} events`
  )
  world.require(
    (answer !== undefined) === isCompleted,
    "answers_never_change",
    () => `${world.nameOf(id)} is ${status} and has ${answer === undefined ? "no" : "an"} answer`
  )
  if (custody !== "HOST" || status === "PENDING") return
  const outcome = wallet.outcomes.get(id)?._tag
  world.require(
    outcome === (isCompleted ? "Credited" : "Declined"),
    "credited_iff_completed",
    () =>
      `${world.nameOf(id)} is ${status}, and the wallet ${outcome === undefined ? "was not reached" : `answered ${outcome}`}`
  )
}

export const watchMoney = (world: World, cluster: Cluster): void => {
  watchBooks(world)
  watchRefunds(world, cluster)
}

/** Checks that no refund is pending. This must hold from one minute after the last fault (contract 6). */
export const checkRefunds = (world: World): void => {
  for (const { refund } of world.state.refunds.values()) {
    world.require(
      refund.status !== "PENDING",
      "nothing_open_for_ever",
      () => `${world.nameOf(refund.id)} is PENDING a minute after the last fault`
    )
  }
}
