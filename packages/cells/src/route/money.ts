import type { RefundId } from "@surety/core/Ids"
import { type Account, type AccountKey, accountKeyText } from "@surety/core/ledger/Account"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { type AccountPosting, type AuditStep, Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import type { Payment } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import type { Refund } from "@surety/core/refund/Refund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { Context, DateTime, Effect, Option } from "effect"
import { latestFirst, makeMergePages, newestFirst } from "./mergePages.js"
import type { People } from "./People.js"
import type { Router } from "./Router.js"

const paymentsOf = Context.get(PaymentStore)
const refundsOf = Context.get(RefundStore)
const ledgerOf = Context.get(Ledger)
const auditsOf = Context.get(AuditRunStore)

/** An account's balance over all cells; none if no cell has opened a part of it. */
const sumOver = ({ all }: Router) => {
  const operation = "Ledger.balance"
  return (account: AccountKey): Effect.Effect<Option.Option<bigint>, StoreError> =>
    Effect.map(
      all(operation)((stores) => ledgerOf(stores).balance(account)),
      (balances) => {
        const opened = balances.flatMap((balance) => Option.toArray(balance))
        return opened.length === 0 ? Option.none() : Option.some(opened.reduce((sum, balance) => sum + balance, 0n))
      }
    )
}

/** A payment is in its merchant's cell, like the merchant's books. */
export const paymentStore = (router: Router, people: People): PaymentStore["Service"] => {
  const { at, cellOf, directory, of } = router
  const mergePages = makeMergePages(router)
  const balanceOf = sumOver(router)

  const recordIn = ({ payment }: PaymentPlan, plan: PaymentPlan) =>
    Effect.gen(function* () {
      const { environment, merchantId, userId } = payment
      const cell = yield* cellOf(merchantId)
      if (userId !== undefined) yield* people.copy(cell, { environment, userId })
      return yield* at(cell, "PaymentStore.record")((stores) => paymentsOf(stores).record(plan))
    })

  return {
    // What a wallet holds is a sum over cells, so those that draw on one take turns. Anything else only adds to it.
    record: (plan) => {
      const { amount, environment, userId } = plan.payment
      if (plan.fromBalance === undefined || userId === undefined) return recordIn(plan, plan)
      const { fromBalance: _, ...checked } = plan
      const wallet: AccountKey = { environment, kind: "WALLET", owner: userId, currency: amount.currency }
      return directory.inTurn({ environment, userId })(
        Effect.flatMap(balanceOf(wallet), (balance) =>
          Option.getOrElse(balance, () => 0n) < amount.amountMinor
            ? recordTooSmall(plan, recordIn)
            : recordIn(plan, checked)
        )
      )
    },
    settle: (plan) =>
      of(plan.payment.merchantId, "PaymentStore.settle")((stores) => paymentsOf(stores).settle(plan)),
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

/** The cell's own check refuses it too, after it has looked for an earlier payment of the same id or reference. */
const recordTooSmall = <A>(plan: PaymentPlan, record: (plan: PaymentPlan, sent: PaymentPlan) => A): A =>
  record(plan, plan)

/** A refund is one commit of its merchant's cell. */
export const refundStore = (router: Router): RefundStore["Service"] => {
  const { gatherSorted, of, search } = router
  const mergePages = makeMergePages(router)
  const withoutCell = Option.map(<A>([, found]: readonly [unknown, A]): A => found)
  const findAny = (id: RefundId) =>
    Effect.map(search("RefundStore.findAny")((stores) => refundsOf(stores).findAny(id)), withoutCell)

  return {
    execute: (lookup, decide) =>
      of(lookup.scope.merchantId, "RefundStore.execute")((stores) => refundsOf(stores).execute(lookup, decide)),
    find: (scope, id) => of(scope.merchantId, "RefundStore.find")((stores) => refundsOf(stores).find(scope, id)),
    list: (scope, filter, page) =>
      of(scope.merchantId, "RefundStore.list")((stores) => refundsOf(stores).list(scope, filter, page)),
    findAny,
    trail: (environment, id) =>
      Effect.map(search("RefundStore.trail")((stores) => refundsOf(stores).trail(environment, id)), withoutCell),
    listAll: (filter, page) =>
      mergePages(
        "RefundStore.listAll",
        newestFirst(({ id }: Refund) => id),
        page,
        (stores, part) => refundsOf(stores).listAll(filter, part)
      ),
    // One cell alone has the refund, so asking every cell leases it once.
    lease: (id, now, until) =>
      Effect.map(search("RefundStore.lease")((stores) => refundsOf(stores).lease(id, now, until)), withoutCell),
    release: (leased) =>
      of(leased.refund.merchantId, "RefundStore.release")((stores) => refundsOf(stores).release(leased)),
    due: (now, madeBefore, limit) =>
      gatherSorted("RefundStore.due")(limit, (stores) => refundsOf(stores).due(now, madeBefore, limit)),
    settleCompleted: (completion) =>
      of(completion.refund.merchantId, "RefundStore.settleCompleted")((stores) =>
        refundsOf(stores).settleCompleted(completion)
      ),
    settleFailed: (failure) =>
      of(failure.leased.refund.merchantId, "RefundStore.settleFailed")((stores) =>
        refundsOf(stores).settleFailed(failure)
      )
  }
}

/** The books of all cells together. Each transfer is in one cell, so each cell's books balance by themselves. */
export const ledger = (router: Router): Ledger["Service"] => {
  const { all, at, names, search } = router
  const mergePages = makeMergePages(router)
  const balanceOf = sumOver(router)

  return {
    // In the order of the cells, and in each the one opened last first. An account of several cells is in the first's part.
    balances: (environment, page) => {
      const cellOfAccount = new Map<string, number>()
      const merged = mergePages(
        "Ledger.balances",
        {
          order: (one: Account, other: Account) => place(one) - place(other),
          nameOf: ({ key }: Account) => accountKeyText(key)
        },
        page,
        (stores, part, cell) =>
          Effect.tap(ledgerOf(stores).balances(environment, part), ({ data }) =>
            Effect.sync(() => {
              for (const { key } of data) {
                const known = cellOfAccount.get(accountKeyText(key)) ?? names.length
                cellOfAccount.set(accountKeyText(key), Math.min(known, names.indexOf(cell)))
              }
            })
          )
      )
      const place = ({ key }: Account): number => cellOfAccount.get(accountKeyText(key)) ?? 0
      return Effect.flatMap(merged, ({ data, nextCursor }) =>
        Effect.map(
          Effect.forEach(
            data,
            ({ key }) => Effect.map(balanceOf(key), (balance) => ({ key, balanceMinor: Option.getOrElse(balance, () => 0n) })),
            { concurrency: 8 }
          ),
          (summed) => ({ data: summed, nextCursor })
        )
      )
    },
    balance: balanceOf,
    postings: (account, page) =>
      mergePages(
        "Ledger.postings",
        newestFirst(({ transfer }: AccountPosting) => transfer.id),
        page,
        (stores, part) => ledgerOf(stores).postings(account, part)
      ),
    trialBalance: Effect.map(
      all("Ledger.trialBalance")((stores) => ledgerOf(stores).trialBalance),
      (cells) => summedLines(cells.flat())
    ),
    audit: Effect.map(
      all("Ledger.audit")((stores) => ledgerOf(stores).audit),
      (faults) => faults.flat()
    ),
    auditConsents: Effect.map(
      all("Ledger.auditConsents")((stores) => ledgerOf(stores).auditConsents),
      (faults) => faults.flat()
    ),
    auditNext: (afresh) =>
      Effect.map(
        all("Ledger.auditNext")((stores) => ledgerOf(stores).auditNext(afresh)),
        (steps): AuditStep => ({
          faults: steps.flatMap(({ faults }) => faults),
          transfers: steps.reduce((sum, { transfers }) => sum + transfers, 0n),
          isFirst: steps.every(({ isFirst }) => isFirst),
          isLast: steps.every(({ isLast }) => isLast)
        })
      )
  }
}

const summedLines = (lines: ReadonlyArray<TrialBalanceLine>): ReadonlyArray<TrialBalanceLine> =>
  [...Map.groupBy(lines, ({ currency, environment }) => `${environment} ${currency}`)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...rest]]) =>
      first === undefined
        ? []
        : [
            rest.reduce(
              (sum, { creditsMinor, debitsMinor }) => ({
                ...sum,
                debitsMinor: sum.debitsMinor + debitsMinor,
                creditsMinor: sum.creditsMinor + creditsMinor
              }),
              first
            )
          ]
    )

/** Runs over all cells are the home cell's records. */
export const auditRunStore = ({ atHome }: Router): AuditRunStore["Service"] => ({
  record: (run) => atHome("AuditRunStore.record")((stores) => auditsOf(stores).record(run)),
  last: atHome("AuditRunStore.last")((stores) => auditsOf(stores).last)
})
