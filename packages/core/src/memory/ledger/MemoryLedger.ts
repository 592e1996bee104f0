import { Effect, Layer, Option } from "effect"
import type { Topic } from "../../event/DomainEvent.js"
import type { MerchantId } from "../../Ids.js"
import { isVerificationOpen } from "../../kyc/verification/Verification.js"
import { type AccountKey, accountKeyText, accountPartText } from "../../ledger/Account.js"
import { type AccountPosting, Ledger, type LedgerFault, type TrialBalanceLine } from "../../ledger/Ledger.js"
import { postingsOf } from "../../ledger/Posting.js"
import { consentFaults } from "../consent/MemoryConsentAudit.js"
import { listRecords, positionAt } from "../MemoryList.js"
import { environmentKey, MemoryState, scopedKey } from "../MemoryState.js"
import { accountsOf, balanceMinor } from "./MemoryBooks.js"

type State = MemoryState["Service"]

const maxFaults = 100

const trialBalanceOf = (state: State): ReadonlyArray<TrialBalanceLine> => {
  const lines = new Map<string, TrialBalanceLine>()
  for (const transfer of state.transfers.values()) {
    for (const { account, amount, side } of postingsOf(transfer)) {
      const { currency, environment } = account
      const key = environmentKey(environment, currency)
      const line = lines.get(key) ?? { environment, currency, debitsMinor: 0n, creditsMinor: 0n }
      lines.set(
        key,
        side === "DEBIT"
          ? { ...line, debitsMinor: line.debitsMinor + amount.minor }
          : { ...line, creditsMinor: line.creditsMinor + amount.minor }
      )
    }
  }
  return [...lines.values()]
}

function* balanceFaults(state: State): Generator<LedgerFault> {
  const folded = new Map<string, bigint>()
  for (const transfer of state.transfers.values()) {
    for (const { account, amount, side } of postingsOf(transfer)) {
      const key = accountPartText(account)
      folded.set(key, (folded.get(key) ?? 0n) + (side === "CREDIT" ? amount.minor : -amount.minor))
    }
  }
  for (const subject of new Set([...folded.keys(), ...state.accounts.keys()])) {
    const stored = state.accounts.get(subject)?.balanceMinor
    const sum = folded.get(subject) ?? 0n
    if (stored === sum) continue
    yield { check: "balances_equal_postings", subject, detail: `stored ${stored ?? "no account"}, postings ${sum}` }
  }
}

function* refundedFaults(state: State): Generator<LedgerFault> {
  const sums = new Map<string, bigint>()
  for (const { refund } of state.refunds.values()) {
    const key = scopedKey(refund, refund.paymentId)
    if (refund.status !== "FAILED") sums.set(key, (sums.get(key) ?? 0n) + refund.amount.minor)
  }
  for (const subject of new Set([...sums.keys(), ...state.payments.keys()])) {
    const stored = state.payments.get(subject)?.refundedMinor
    const sum = sums.get(subject) ?? 0n
    if (stored === sum) continue
    yield { check: "refunded_equals_refunds", subject, detail: `stored ${stored ?? "no payment"}, refunds ${sum}` }
  }
}

function* transferFaults(state: State): Generator<LedgerFault> {
  const ordered = [...state.operatorTransfers.values()].map(({ posted }) => posted.id)
  const causes = new Set<string>([
    ...[...state.payments.values()].map(({ id }) => id),
    ...state.refunds.keys(),
    ...ordered
  ])
  const moved = new Set<string>()
  for (const { cause, id } of state.transfers.values()) {
    moved.add(cause)
    if (causes.has(cause)) continue
    yield { check: "transfers_have_causes", subject: id, detail: `no payment, refund or operator's transfer ${cause}` }
  }
  for (const subject of [...state.refunds.keys(), ...ordered]) {
    if (!moved.has(subject)) yield { check: "transfers_have_causes", subject, detail: "no transfer" }
  }
}

const tellingKey = (topic: Topic, cause: string): string => `${topic}/${cause}`

/**
 * Maps the `tellingKey` of each event that must exist to its record's id. Excludes requests that existing grants
 * covered, since no one decided them.
 */
const toBeTold = (state: State): ReadonlyMap<string, string> => {
  const told = new Map<string, string>()
  const tell = (topic: Topic, id: string) => told.set(tellingKey(topic, id), id)
  for (const { refund } of state.refunds.values()) {
    if (refund.status === "COMPLETED") tell("refund.completed", refund.id)
    if (refund.status === "FAILED") tell("refund.failed", refund.id)
  }
  for (const { id, status } of state.grants.values()) {
    tell("merchant.identity.consent_granted", id)
    if (status === "REVOKED") tell("merchant.identity.consent_revoked", id)
    if (status === "EXPIRED") tell("merchant.identity.consent_expired", id)
  }
  for (const { request } of state.dataRequests.values()) {
    if (request.status === "EXPIRED") tell("merchant.identity.request.expired", request.id)
    if (request.decidedBy === undefined) continue
    if (request.status === "APPROVED") tell("merchant.identity.request.approved", request.id)
    if (request.status === "DENIED") tell("merchant.identity.request.denied", request.id)
  }
  for (const { verification } of state.verifications.values()) {
    if (!isVerificationOpen(verification.status)) tell("kyc.verification.completed", verification.id)
  }
  return told
}

/** Topics whose events are not compared with records, since one endpoint or person may cause many such events. */
const recordless: ReadonlyArray<Topic> = ["endpoint.disabled", "merchant.identity.data_changed"]

function* eventFaults(state: State): Generator<LedgerFault> {
  const untold = new Map(toBeTold(state))
  const causes = new Set(untold.keys())
  for (const { id } of state.payments.values()) causes.add(tellingKey("transaction.settled", id))
  for (const { cause, event } of state.events.values()) {
    if (event.testFor !== undefined || recordless.includes(event.topic)) continue
    const key = tellingKey(event.topic, cause)
    untold.delete(key)
    if (causes.has(key)) continue
    yield { check: "events_have_causes", subject: event.id, detail: `${event.topic} without its cause ${cause}` }
  }
  for (const subject of untold.values()) yield { check: "events_have_causes", subject, detail: "no event" }
}

function* faultsOf(state: State): Generator<LedgerFault> {
  yield* balanceFaults(state)
  yield* refundedFaults(state)
  yield* transferFaults(state)
  yield* eventFaults(state)
  yield* consentFaults(state)
}

const entriesOf = <K, V>(records: ReadonlyMap<K, V>, isOwn: (record: V) => boolean): Map<K, V> =>
  new Map([...records].filter(([, record]) => isOwn(record)))

const ofMerchant = (state: State, merchantId: MerchantId): State => {
  const isOwn = (record: { readonly merchantId?: MerchantId | undefined }) => record.merchantId === merchantId
  return {
    ...state,
    accounts: entriesOf(state.accounts, ({ key }) => key.books === merchantId),
    transfers: entriesOf(state.transfers, ({ debit }) => debit.books === merchantId),
    payments: entriesOf(state.payments, isOwn),
    refunds: entriesOf(state.refunds, ({ refund }) => isOwn(refund)),
    operatorTransfers: entriesOf(state.operatorTransfers, ({ posted }) => isOwn(posted)),
    events: entriesOf(state.events, ({ event }) => isOwn(event)),
    grants: entriesOf(state.grants, isOwn),
    dataRequests: entriesOf(state.dataRequests, ({ request }) => isOwn(request)),
    verifications: entriesOf(state.verifications, ({ verification }) => isOwn(verification)),
    receipts: entriesOf(state.receipts, isOwn)
  }
}

/** Kinds of records that the audit of a merchant counts. */
const audited = [
  "accounts",
  "payments",
  "refunds",
  "operatorTransfers",
  "events",
  "grants",
  "dataRequests",
  "verifications"
] as const

const statementOf = (state: State, account: AccountKey): ReadonlyArray<AccountPosting> => {
  const text = accountKeyText(account)
  return [...state.transfers.values()].flatMap((transfer) =>
    postingsOf(transfer).flatMap((posting) =>
      accountKeyText(posting.account) === text ? [{ side: posting.side, transfer }] : []
    )
  )
}

export const make = (state: State): Ledger["Service"] =>
  Ledger.of({
    balance: (account) => Effect.sync(() => Option.fromUndefinedOr(balanceMinor(state, account))),

    balances: (environment, page) =>
      listRecords(
        () => accountsOf(state).map((account, opened) => ({ account, opened })),
        {
          where: ({ account }) => account.key.environment === environment,
          position: ({ account, opened }) => ({ at: opened, id: accountKeyText(account.key) })
        },
        page
      ).pipe(Effect.map(({ data, nextCursor }) => ({ data: data.map(({ account }) => account), nextCursor }))),

    postings: (account, page) =>
      listRecords(
        () => statementOf(state, account),
        { position: ({ transfer: { at, id } }) => positionAt(at, id) },
        page
      ),

    transfer: (environment, id) =>
      Effect.sync(() =>
        Option.filter(Option.fromUndefinedOr(state.transfers.get(id)), ({ debit }) => debit.environment === environment)
      ),

    trialBalance: Effect.sync(() => trialBalanceOf(state)),

    audit: Effect.sync(() => [...faultsOf(state)].slice(0, maxFaults)),

    // Checks everything in one step, since an in-memory store is small.
    auditNext: () =>
      Effect.sync(() => ({
        faults: [...faultsOf(state)].slice(0, maxFaults),
        transfers: BigInt(state.transfers.size),
        isFirst: false,
        isLast: true
      })),

    auditMerchant: (merchantId, place) =>
      Effect.sync(() => {
        if (place !== undefined) return Option.none()
        const own = ofMerchant(state, merchantId)
        return Option.some({
          faults: [...faultsOf(own)].slice(0, maxFaults),
          records: audited.reduce((sum, records) => sum + own[records].size, 0),
          next: undefined
        })
      })
  })

export const layer: Layer.Layer<Ledger, never, MemoryState> = Layer.effect(Ledger, Effect.map(MemoryState, make))
