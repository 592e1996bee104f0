import type { Environment } from "@surety/core/Environment"
import type { RefundId } from "@surety/core/Ids"
import type { Account, AccountKey } from "@surety/core/ledger/Account"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { type AccountPosting, type AuditStep, Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import type { Page, PageRequest } from "@surety/core/Page"
import type { Payment } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import type { Refund } from "@surety/core/refund/Refund"
import { RefundStore, type RefundTrail } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { Context, DateTime, Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { CellName } from "../Cells.js"
import { personTurn } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import { latestFirst, makeMergePages, newestFirst } from "./mergePages.js"
import type { People } from "./People.js"
import type { Router } from "./Router.js"
import { makeTurnFence } from "./TurnFence.js"
import { makeDrawnPartsOf, makePartsOf, summed } from "./walletParts.js"

const paymentsOf = Context.get(PaymentStore)
const refundsOf = Context.get(RefundStore)
const ledgerOf = Context.get(Ledger)
const auditsOf = Context.get(AuditRunStore)

/** Cursor of `Ledger.balances`: a cell, and the cursor in that cell's list. */
const Position = Schema.fromJsonString(Schema.Struct({ cell: CellName, cursor: Schema.optional(Schema.String) }))
const encodeJson = Schema.encodeSync(Position)
const decodeJson = Schema.decodeUnknownOption(Position)

const encodePosition = (position: { readonly cell: CellName; readonly cursor: string | undefined }): string =>
  Base64Url.encode(encodeJson(position))

const opened = (cursor: string): Option.Option<{ readonly cell: CellName; readonly cursor: string | undefined }> => {
  const text = Base64Url.decodeString(cursor)
  if (Result.isFailure(text)) return Option.none()
  return Option.map(decodeJson(text.success), ({ cell, cursor: inner }) => ({ cell, cursor: inner }))
}

/**
 * Builds a function that sums an account's balance over all cells. It returns `None` if no cell has opened a part of
 * the account.
 */
const sumOver = (router: Router) => {
  const partsOf = makePartsOf(router)
  return (account: AccountKey) => Effect.map(partsOf(account), summed)
}

/** A payment is in its merchant's cell, together with the merchant's books. */
export const paymentStore = (router: Router, people: People): PaymentStore["Service"] => {
  const { at, cellOf, directory, names, of } = router
  const mergePages = makeMergePages(router)
  const partsOf = makeDrawnPartsOf(router)
  const fence = makeTurnFence(router)

  const recordIn = (cell: CellName, plan: PaymentPlan) =>
    at(cell, "PaymentStore.record")((stores) => paymentsOf(stores).record(plan))

  return {
    // A wallet's balance is a total over all cells, so payments with `fromBalance` run in the person's turn. The cell
    // checks only its own part. If the total suffices but the part does not, that check is skipped. If only the part
    // suffices, because another part is negative, the payment is refused here, unless it was already recorded.
    record: (plan) =>
      Effect.gen(function* () {
        const { amount, environment, id, merchantId, userId } = plan.payment
        const cell = yield* cellOf(merchantId)
        if (userId === undefined) return yield* recordIn(cell, plan)
        yield* people.copy(cell, { environment, userId })
        if (plan.fromBalance === undefined) return yield* recordIn(cell, plan)
        const { fromBalance: _, ...unchecked } = plan
        const wallet: AccountKey = { environment, kind: "WALLET", owner: userId, currency: amount.currency }
        const turn = personTurn({ environment, userId })
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const turns = yield* Commit.turnsOf(directory)
            yield* Commit.takeTurn(turns, turn)
            const { held } = yield* Commit.turnsHere(turns)
            const drawIn = (drawing: PaymentPlan) =>
              fence.written(cell, "PaymentStore.record", turn, held)((stores) => paymentsOf(stores).record(drawing))
            yield* fence.settled(turn)
            const parts = yield* partsOf(wallet)
            const own = parts[names.indexOf(cell)] ?? Option.none()
            const holds = (balance: Option.Option<bigint>) => Option.getOrElse(balance, () => 0n) >= amount.minor
            if (holds(summed(parts)) === holds(own)) return yield* drawIn(plan)
            if (holds(summed(parts))) return yield* drawIn(unchecked)
            const earlier = yield* at(
              cell,
              "PaymentStore.find"
            )((stores) => paymentsOf(stores).find({ merchantId, environment }, id))
            return Option.isSome(earlier) ? yield* drawIn(plan) : "balance_too_small"
          })
        )
      }),
    settle: (plan) => of(plan.payment.merchantId, "PaymentStore.settle")((stores) => paymentsOf(stores).settle(plan)),
    find: (scope, id) => of(scope.merchantId, "PaymentStore.find")((stores) => paymentsOf(stores).find(scope, id)),
    list: (environment, page) =>
      mergePages(
        "PaymentStore.list",
        latestFirst(
          ({ createdAt }: Payment) => DateTime.toEpochMillis(createdAt),
          ({ id, merchantId }: Payment) => `${id} ${merchantId}`
        ),
        page,
        (stores, part) => paymentsOf(stores).list(environment, part)
      )
  }
}

const withoutCell = Option.map(<A>([, found]: readonly [unknown, A]): A => found)

/** A refund is committed entirely in its merchant's cell. */
export const refundStore = (router: Router): RefundStore["Service"] => {
  const { gatherSorted, of, search, searchOwn } = router
  const mergePages = makeMergePages(router)
  const findAny = (id: RefundId) =>
    Effect.map(
      searchOwn(
        "RefundStore.findAny",
        ({ merchantId }: Refund) => merchantId
      )((stores) => refundsOf(stores).findAny(id)),
      withoutCell
    )

  return {
    execute: (lookup, decide) =>
      of(lookup.scope.merchantId, "RefundStore.execute")((stores) => refundsOf(stores).execute(lookup, decide)),
    find: (scope, id) => of(scope.merchantId, "RefundStore.find")((stores) => refundsOf(stores).find(scope, id)),
    list: (scope, filter, page) =>
      of(scope.merchantId, "RefundStore.list")((stores) => refundsOf(stores).list(scope, filter, page)),
    findAny,
    trail: (environment, id) =>
      Effect.map(
        searchOwn(
          "RefundStore.trail",
          ({ refund }: RefundTrail) => refund.merchantId
        )((stores) => refundsOf(stores).trail(environment, id)),
        withoutCell
      ),
    listAll: (filter, page) =>
      mergePages(
        "RefundStore.listAll",
        newestFirst(({ id }: Refund) => id),
        page,
        (stores, part) => refundsOf(stores).listAll(filter, part)
      ),
    // Asks every cell. If two cells have the refund because its merchant is moving, the source cell refuses the lease.
    lease: (id, now, until) =>
      Effect.map(
        search("RefundStore.lease")((stores) => refundsOf(stores).lease(id, now, until)),
        withoutCell
      ),
    release: (leased) =>
      of(leased.refund.merchantId, "RefundStore.release")((stores) => refundsOf(stores).release(leased)),
    due: (now, madeBefore, limit) =>
      gatherSorted("RefundStore.due")(limit, (stores) => refundsOf(stores).due(now, madeBefore, limit)),
    settleCompleted: (completion) =>
      of(
        completion.refund.merchantId,
        "RefundStore.settleCompleted"
      )((stores) => refundsOf(stores).settleCompleted(completion)),
    settleFailed: (failure) =>
      of(
        failure.leased.refund.merchantId,
        "RefundStore.settleFailed"
      )((stores) => refundsOf(stores).settleFailed(failure))
  }
}

/** The books of all cells combined. Both sides of a transfer are in the same cell, so every cell's books balance. */
export const ledger = (router: Router): Ledger["Service"] => {
  const { all, at, names, of, search } = router
  const mergePages = makeMergePages(router)
  const balanceOf = sumOver(router)
  const partsOf = makePartsOf(router)
  const operation = "Ledger.balances"

  /**
   * Returns an account from a cell's list with its balance over all cells. `None` if an earlier cell already lists it.
   * A settlement account has only one part, so it is returned unchanged.
   */
  const wholeIn = (index: number, account: Account): Effect.Effect<Option.Option<Account>, StoreError> =>
    account.key.kind === "SETTLEMENT"
      ? Effect.succeedSome(account)
      : Effect.map(partsOf(account.key), (parts) =>
          parts.slice(0, index).some(Option.isSome)
            ? Option.none()
            : Option.some({ ...account, balanceMinor: Option.getOrElse(summed(parts), () => account.balanceMinor) })
        )

  /** Returns `cursor`, or `undefined` if no account follows it. */
  const unlessLast = (
    environment: Environment,
    cursor: string | undefined
  ): Effect.Effect<string | undefined, StoreError> =>
    cursor === undefined
      ? Effect.succeed(undefined)
      : Effect.map(accounts(environment, { limit: 1, cursor }), ({ data }) => (data.length === 0 ? undefined : cursor))

  /**
   * Lists one cell after another, because openings have no common order across cells. Within a cell, the most recently
   * opened account comes first. An account with parts in several cells is listed in the first of these cells, with its
   * total balance.
   */
  const accounts = (environment: Environment, request: PageRequest): Effect.Effect<Page<Account>, StoreError> =>
    Effect.gen(function* () {
      const start =
        request.cursor === undefined ? Option.some({ cell: names[0], cursor: undefined }) : opened(request.cursor)
      if (Option.isNone(start) || !names.includes(start.value.cell)) return { data: [], nextCursor: undefined }
      const { cell, cursor } = start.value
      const index = names.indexOf(cell)
      const page = yield* at(
        cell,
        operation
      )((stores) => ledgerOf(stores).balances(environment, { limit: request.limit, cursor }))
      const shown = yield* Effect.forEach(page.data, (account) => wholeIn(index, account), { concurrency: 16 })
      const data = shown.flatMap((account) => Option.toArray(account))
      const following = names[index + 1]
      const nextCursor =
        page.nextCursor === undefined
          ? following && encodePosition({ cell: following, cursor: undefined })
          : encodePosition({ cell, cursor: page.nextCursor })
      const missing = request.limit - data.length
      if (missing === 0 || nextCursor === undefined)
        return { data, nextCursor: yield* unlessLast(environment, nextCursor) }
      const rest = yield* accounts(environment, { limit: missing, cursor: nextCursor })
      return { data: [...data, ...rest.data], nextCursor: rest.nextCursor }
    })

  return {
    balances: (environment, page) => accounts(environment, page),
    balance: balanceOf,
    postings: (account, page) =>
      mergePages(
        "Ledger.postings",
        newestFirst(({ transfer }: AccountPosting) => transfer.id),
        page,
        (stores, part) => ledgerOf(stores).postings(account, part)
      ),
    transfer: (environment, id) =>
      Effect.map(
        search("Ledger.transfer")((stores) => ledgerOf(stores).transfer(environment, id)),
        withoutCell
      ),
    trialBalance: Effect.map(
      all("Ledger.trialBalance")((stores) => ledgerOf(stores).trialBalance),
      (cells) => summedLines(cells.flat())
    ),
    audit: Effect.map(
      all("Ledger.audit")((stores) => ledgerOf(stores).audit),
      (faults) => faults.flat()
    ),
    auditNext: (afresh) =>
      Effect.map(
        all("Ledger.auditNext")((stores) => ledgerOf(stores).auditNext(afresh)),
        (steps): AuditStep => ({
          faults: steps.flatMap(({ faults }) => faults),
          transfers: steps.reduce((sum, { transfers }) => sum + transfers, 0n),
          // If any cell starts over, the run counts as a full one, because that cell has no verified point to rely on.
          isFirst: steps.some(({ isFirst }) => isFirst),
          isLast: steps.every(({ isLast }) => isLast)
        })
      ),
    auditMerchant: (merchantId, place) =>
      of(merchantId, "Ledger.auditMerchant")((stores) => ledgerOf(stores).auditMerchant(merchantId, place))
  }
}

const summedLines = (lines: ReadonlyArray<TrialBalanceLine>): ReadonlyArray<TrialBalanceLine> =>
  [...Map.groupBy(lines, ({ currency, environment }) => `${environment} ${currency}`)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, parts]) => {
      const [first] = parts
      if (first === undefined) return []
      const debitsMinor = parts.reduce((sum, part) => sum + part.debitsMinor, 0n)
      const creditsMinor = parts.reduce((sum, part) => sum + part.creditsMinor, 0n)
      return [{ ...first, debitsMinor, creditsMinor }]
    })

/** Audit runs cover all cells, so they are stored in the home cell. */
export const auditRunStore = ({ atHome }: Router): AuditRunStore["Service"] => ({
  record: (run) => atHome("AuditRunStore.record")((stores) => auditsOf(stores).record(run)),
  last: atHome("AuditRunStore.last")((stores) => auditsOf(stores).last)
})
