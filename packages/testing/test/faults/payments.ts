import { accountPartText } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { ownAccount, transferOf } from "@surety/core/ledger/OperatorTransfer"
import { type OperatorTransferPlan, OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { partMinor, post } from "@surety/core/memory/ledger/MemoryBooks"
import { environmentKey, scopedKey } from "@surety/core/memory/MemoryState"
import { make } from "@surety/core/memory/payment/MemoryPaymentStore"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import * as Parts from "@surety/testing/ledger/AccountPartLaws"
import * as Ledgers from "@surety/testing/ledger/LedgerLaws"
import * as Merchants from "@surety/testing/ledger/MerchantAuditLaws"
import * as Transfers from "@surety/testing/ledger/OperatorTransferStoreLaws"
import * as Payments from "@surety/testing/payment/PaymentStoreLaws"
import * as WalletPayments from "@surety/testing/payment/WalletPaymentLaws"
import { Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  broken,
  countingPages,
  edit,
  faultsOf,
  instead,
  leaving,
  lookingFirst,
  type State
} from "./Fault.js"

const keyOf = ({ payment }: PaymentPlan): string => scopedKey(payment, payment.id)

const leaveFirstTransfer = (state: State, [{ transfers }]: readonly [PaymentPlan]): void => {
  const [first] = transfers
  if (first !== undefined && !state.transfers.has(first.id)) post(state, first)
}

const unsettle = (state: State, [plan]: readonly [PaymentPlan]): void =>
  edit(state.payments, keyOf(plan), (stored) => ({ ...stored, status: "PENDING" as const }))

const ofPayments = faultsOf(PaymentStore)

const payments: ReadonlyArray<Broken> = [
  asking(ofPayments("record", "treats a missing reference as one", Payments.recordsPending), ([plan]) => [
    { ...plan, payment: { ...plan.payment, reference: plan.payment.reference ?? "none" } }
  ]),
  broken(PaymentStore, "never wakes the dispatcher", [Payments.recordsSettled], (_, state, signal) =>
    make(state, { ...signal, notify: Effect.void })
  ),
  before(ofPayments("record", "ignores who has the reference", Payments.answersWhichIsTaken), (state, [{ payment }]) =>
    state.paymentsByReference.delete(scopedKey(payment, payment.reference ?? ""))
  ),
  instead(
    ofPayments("find", "finds payments of other merchants and environments", Payments.separatesScopes),
    (_, state) => (_scope, id) =>
      Effect.sync(() => Option.fromUndefinedOr([...state.payments.values()].find((payment) => payment.id === id)))
  ),
  lookingFirst(
    ofPayments("record", "checks that the id is free before the commit", Payments.oneRecordWins),
    (state, [plan]) => state.payments.has(keyOf(plan)),
    (taken, record, [plan], state) => {
      if (!taken) state.payments.delete(keyOf(plan))
      return record(plan)
    }
  ),
  lookingFirst(
    ofPayments("settle", "checks that a payment is pending before the commit", Payments.oneSettlementWins),
    (state, [plan]) => state.payments.get(keyOf(plan))?.status,
    (status, settle, [plan], state) => {
      if (status === "PENDING") unsettle(state, [plan])
      return settle(plan)
    }
  ),
  asking(
    ofPayments("record", "overdraws a wallet", WalletPayments.paysFromBalance, Parts.drawsAtOnce),
    ([{ fromBalance: _, ...plan }]) => [plan]
  ),
  instead(
    ofPayments("record", "pays from what the wallet holds at that merchant only", Parts.drawsOnAllParts),
    (record, state) => (plan) => {
      const isCovered = plan.transfers.every(({ amount, debit }) => partMinor(state, debit) >= amount.minor)
      return plan.fromBalance === undefined || isCovered ? record(plan) : Effect.succeed("balance_too_small" as const)
    }
  ),
  answering(
    ofPayments("record", "judges the balance before the names", WalletPayments.paysFromBalance),
    (outcome, _, [plan]) => (plan.fromBalance && outcome === "id_taken" ? "balance_too_small" : outcome)
  ),
  before(ofPayments("settle", "settles a settled payment again", Payments.settlesOnlyPending), unsettle),
  leaving(
    ofPayments("record", "leaves half of what it could not record", Payments.recordsAllOrNothing),
    leaveFirstTransfer
  ),
  leaving(
    ofPayments("settle", "leaves half of what it could not settle", Payments.settlesAllOrNothing),
    leaveFirstTransfer
  ),
  instead(
    ofPayments("list", "counts rows for a cursor", Payments.listsNewestFirst),
    (list) => (environment, page) => countingPages((all) => list(environment, all))(page)
  ),
  after(
    ofPayments("record", "loses every fifth movement of the settlement account", Ledgers.soundUnderLoad),
    (state, _, [{ transfers }]) => {
      const moved = transfers.find(({ kind }) => kind === "PAYMENT")
      if (moved === undefined || state.payments.size % 5 > 0) return
      edit(state.accounts, accountPartText(moved.credit), (account) => ({
        ...account,
        balanceMinor: account.balanceMinor - moved.amount.minor
      }))
    }
  )
]

const ofLedger = faultsOf(Ledger)

const forget = <K>(records: Map<K, unknown>, key: K | undefined): void => {
  if (key !== undefined) records.delete(key)
}

const ledgers: ReadonlyArray<Broken> = [
  broken(Ledger, "mixes the environments in the trial balance", [Ledgers.foldsEveryPosting], (sound) => ({
    trialBalance: Effect.map(sound.trialBalance, (lines) =>
      lines.flatMap((line) => (["TEST", "LIVE"] as const).map((environment) => ({ ...line, environment })))
    )
  })),
  broken(Ledger, "never comes to the last step of the audit", [Ledgers.auditsInSteps], (sound) => ({
    auditNext: (afresh: boolean) => Effect.map(sound.auditNext(afresh), (step) => ({ ...step, isLast: false }))
  })),
  answering(
    ofLedger("auditMerchant", "never comes to the last step of a merchant's audit", Merchants.auditsOneMerchant),
    (step) => Option.map(step, (found) => ({ ...found, next: "again" }))
  ),
  instead(
    ofLedger("auditMerchant", "compares nothing of a merchant", Merchants.auditsOneMerchant),
    () => () => Effect.succeedSome({ faults: [], records: 0, next: undefined })
  ),
  instead(
    ofLedger("auditMerchant", "audits a merchant from any place", Merchants.refusesUnknownPlace),
    (audit) => (merchantId) => audit(merchantId, undefined)
  ),
  answering(ofLedger("auditMerchant", "compares every merchant's refunds", Merchants.auditsNoOther), (step, state) =>
    Option.map(step, (found) => ({ ...found, records: found.records + state.refunds.size }))
  ),
  ...(["transfers", "operatorTransfers", "events", "receipts"] as const).map((records) =>
    before(ofLedger("auditMerchant", `loses what it has of ${records}`, Merchants.auditsOneMerchant), (state) => {
      const [last] = [...state[records].keys()].slice(-1)
      forget<unknown>(state[records], last)
    })
  ),
  broken(Ledger, "shows each part as an account of its own", [Parts.sumsParts], (sound, state) => ({
    balances: (environment, page) =>
      page.cursor === undefined
        ? Effect.succeed({
            data: [...state.accounts.values()].filter(({ key }) => key.environment === environment),
            nextCursor: undefined
          })
        : sound.balances(environment, page)
  })),
  instead(
    faultsOf(Ledger)("postings", "shows the statement of one part", Parts.sumsParts),
    (postings) => (account, page) =>
      Effect.map(postings(account, page), ({ data, nextCursor }) => {
        const [first] = data
        return { data: data.filter(({ transfer }) => transfer.debit.books === first?.transfer.debit.books), nextCursor }
      })
  ),
  instead(
    faultsOf(Ledger)("balance", "tells every account's balance as LIVE's", Ledgers.tellsBalance),
    (balance) => (account) => balance({ ...account, environment: "LIVE" })
  ),
  instead(
    faultsOf(Ledger)("balances", "counts rows for a cursor", Ledgers.listsBalances),
    (balances) => (environment, page) => countingPages((all) => balances(environment, all))(page)
  )
]

const ofTransfers = faultsOf(OperatorTransferStore)

const debited = (state: State, { posted }: OperatorTransferPlan): bigint =>
  state.accounts.get(accountPartText(transferOf(posted).debit))?.balanceMinor ?? 0n

const operatorTransfers: ReadonlyArray<Broken> = [
  after(
    ofTransfers("post", "posts nothing to the account", Transfers.postsEachKind),
    (state, outcome, [{ posted }]) => {
      if (outcome._tag !== "Posted") return
      const key = accountPartText(ownAccount(posted))
      edit(state.accounts, key, (account) => ({ ...account, balanceMinor: 0n }))
    }
  ),
  instead(
    ofTransfers("post", "checks what the caller knows to be covered", Transfers.coveredIsNotChecked),
    (post) =>
      ({ isCovered: _, ...plan }) =>
        post(plan)
  ),
  before(ofTransfers("post", "lends what an account lacks", Transfers.neverBelowZero), (state, [plan]) => {
    const { amount, debit } = transferOf(plan.posted)
    if (debit.kind !== "EXTERNAL" && debited(state, plan) < amount.minor) {
      state.accounts.set(accountPartText(debit), { key: debit, balanceMinor: amount.minor })
    }
  }),
  lookingFirst(
    ofTransfers("post", "checks the balance before the commit", Transfers.neverBelowZeroAtOnce),
    (state, [plan]) => debited(state, plan) >= plan.posted.amount.minor,
    (suffices, post, [plan], state) => {
      const { amount, debit } = transferOf(plan.posted)
      const own = accountPartText(debit)
      const balanceMinor = debited(state, plan)
      if (suffices) edit(state.accounts, own, (account) => ({ ...account, balanceMinor: balanceMinor + amount.minor }))
      return Effect.tap(post(plan), () =>
        Effect.sync(() => {
          if (suffices)
            edit(state.accounts, own, (account) => ({ ...account, balanceMinor: account.balanceMinor - amount.minor }))
        })
      )
    }
  ),
  instead(ofTransfers("post", "looks into one part of a wallet", Parts.drawsOnAllParts), (post, state) => (plan) => {
    const { amount, debit } = transferOf(plan.posted)
    const balanceMinor = debited(state, plan)
    return debit.kind === "WALLET" && balanceMinor < amount.minor
      ? Effect.succeed({ _tag: "Insufficient", balanceMinor } as const)
      : post(plan)
  }),
  asking(ofTransfers("post", "forgets a key's environment", Transfers.oneForAKey), ([plan], state) => {
    const { idempotencyKey, posted } = plan
    const other = state.operatorTransfers.get(environmentKey("LIVE", idempotencyKey))
    if (other !== undefined) state.operatorTransfers.set(environmentKey(posted.environment, idempotencyKey), other)
    return [plan]
  }),
  before(
    ofTransfers("post", "posts again for a used key", Transfers.oneForAKey),
    (state, [{ idempotencyKey, posted }]) =>
      state.operatorTransfers.delete(environmentKey(posted.environment, idempotencyKey))
  ),
  instead(
    ofTransfers("find", "finds a key of the other environment", Transfers.findsByKey),
    (find) => (environment, key) =>
      Effect.flatMap(find("LIVE", key), (live) => (Option.isSome(live) ? Effect.succeed(live) : find(environment, key)))
  ),
  instead(ofTransfers("find", "finds nothing", Transfers.findsByKey), () => () => Effect.succeedNone),
  asking(faultsOf(Ledger)("transfer", "finds TEST transfers in LIVE", Ledgers.findsTransfer), ([, id]) => [
    "TEST" as const,
    id
  ]),
  instead(
    faultsOf(Ledger)("postings", "counts rows for a cursor of postings", Transfers.listsPostings),
    (postings) => (account, page) => countingPages((all) => postings(account, all))(page)
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...payments, ...ledgers, ...operatorTransfers]
