import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { KycStore } from "@surety/core/kyc/KycStore"
import { accountPartText } from "@surety/core/ledger/Account"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { snapshotOf, writePlan } from "@surety/core/memory/refund/MemoryRefundStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { Subject } from "@surety/testing/simulation/Simulation"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { DateTime, Effect, Layer, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  edit,
  editAll,
  faultsOf,
  instead,
  lookingFirst,
  seeing
} from "../faults/Fault.js"

/** Something that a programmer could get wrong, and the invariants of which one must be violated first. */
export interface Mistake {
  readonly how: string
  readonly violates: ReadonlyArray<string>
  readonly parts: SimulatedParts
  /** What the stories are about that find it. */
  readonly about?: Subject
}

/** A store that is wrong in one way. */
const ofStore = (violates: string | ReadonlyArray<string>, { how, over }: Broken): Mistake => ({
  how,
  violates: [violates].flat(),
  parts: { stores: (sound) => Layer.provideMerge(over, sound) }
})

const refunds = faultsOf(RefundStore)
const consents = faultsOf(ConsentStore)
const log = faultsOf(ConsentLog)
const upkeep = faultsOf(ConsentUpkeep)
const links = faultsOf(ManagementLinkStore)
const verifications = faultsOf(KycStore)
const deliveries = faultsOf(DeliveryQueue)
const events = faultsOf(EventLog)
const persons = faultsOf(PersonStore)
const rightsRequests = faultsOf(RightsRequestStore)

const years = { years: 100 } as const

const money: ReadonlyArray<Mistake> = [
  ofStore(
    "refunds_within_payment",
    instead(
      refunds("execute", "forgets what was refunded before"),
      (_, state) => (lookup, decide) =>
        Effect.sync(() => {
          const snapshot = snapshotOf(state, lookup)
          const decision = decide({ ...snapshot, byId: snapshot.byId && { ...snapshot.byId, refundedMinor: 0n } })
          if (decision._tag === "Execute") writePlan(state, decision.plan)
          return decision
        })
    )
  ),
  ofStore(
    ["one_refund_per_key", "refunds_within_payment", "books_balance"],
    lookingFirst(
      refunds("execute", "commits what it decided before others committed"),
      (state, [lookup]) => snapshotOf(state, lookup),
      (snapshot, _, [, decide], state) =>
        Effect.sync(() => {
          const decision = decide(snapshot)
          if (decision._tag === "Execute") writePlan(state, decision.plan)
          return decision
        })
    )
  ),
  ofStore(
    "books_balance",
    lookingFirst(
      refunds("execute", "writes a balance that it read before"),
      (state) => new Map(state.accounts),
      (accounts, execute, [lookup, decide], state) =>
        Effect.tap(execute(lookup, decide), (decision) =>
          Effect.sync(() => {
            if (decision._tag !== "Execute") return
            const { amount, debit } = decision.plan.transfer
            const stale = accounts.get(accountPartText(debit))
            if (stale === undefined) return
            state.accounts.set(accountPartText(debit), { ...stale, balanceMinor: stale.balanceMinor - amount.minor })
          })
        )
    )
  ),
  ofStore(
    "one_refund_per_key",
    after(refunds("execute", "forgets the key of a refund"), (state, decision) => {
      if (decision._tag !== "Execute") return
      state.refundsByKey.delete(scopedKey(decision.plan.refund, decision.plan.idempotencyKey))
    })
  ),
  ofStore(
    "refusals_are_true",
    seeing(refunds("execute", "has one set of keys for all merchants"), (snapshot, state, { idempotencyKey }) => {
      const stored = [...state.refunds.values()].find((each) => each.idempotencyKey === idempotencyKey)
      if (stored === undefined) return snapshot
      const { answer, fingerprint, refund } = stored
      return { ...snapshot, prior: { refundId: refund.id, fingerprint, answer } }
    })
  ),
  ofStore(
    ["nothing_open_for_ever"],
    asking(refunds("lease", "never ends the lease of a refund"), ([id, now, until]) => [
      id,
      now,
      DateTime.add(until, years)
    ])
  ),
  ofStore(
    ["told_iff_committed", "answers_never_change"],
    after(refunds("execute", "loses a refund's event"), (state, decision) => {
      if (decision._tag === "Execute" && decision.plan.event !== undefined) state.events.delete(decision.plan.event.id)
    })
  ),
  ofStore(
    "no_defects",
    answering(refunds("find", "loses refunds that it answered"), () => Option.none())
  ),
  {
    how: "takes a wallet's failure for a credit",
    violates: ["credited_iff_completed"],
    parts: {
      wallet: ({ credit }) => ({
        credit: (asked) => Effect.catchCause(credit(asked), () => Effect.succeed({ _tag: "Credited" as const }))
      })
    }
  }
]

const consent: ReadonlyArray<Mistake> = [
  ofStore(
    "reads_need_grant",
    seeing(consents("read", "reads by grants that have ended"), (snapshot) => ({
      ...snapshot,
      grants: snapshot.grants.map((grant) => ({ ...grant, status: "ACTIVE" as const }))
    }))
  ),
  ofStore(
    "reads_need_grant",
    seeing(consents("read", "reads by grants whose time is over"), (snapshot) => ({
      ...snapshot,
      grants: snapshot.grants.map((grant) => ({ ...grant, expiresAt: DateTime.add(grant.expiresAt, years) }))
    }))
  ),
  ofStore(
    "reads_need_grant",
    instead(consents("read", "caches what a person has approved"), (read) => {
      const cache = new Map<string, Parameters<Parameters<typeof read>[1]>[0]>()
      return (lookup, decide) =>
        read(lookup, (snapshot) => {
          const key = scopedKey(lookup.scope, lookup.serviceId)
          const cached = cache.get(key) ?? snapshot
          cache.set(key, cached)
          return decide(cached)
        })
    })
  ),
  ofStore(
    "not_me_is_final",
    after(consents("decide", 'keeps no block after a "not me"'), (state, _, [target]) => {
      const request = state.dataRequests.get(target.id)?.request
      if (request?.denialReason === "NOT_ME") state.askingBlocks.delete(scopedKey(request, request.userId))
    })
  ),
  ofStore(
    "not_me_is_final",
    seeing(consents("request", "asks whom it may not ask"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, block: undefined }
    }))
  ),
  ofStore(
    ["lifecycle", "receipts_for_all", "no_defects"],
    seeing(consents("decide", "decides what has been decided"), (snapshot) => ({
      ...snapshot,
      request: { ...snapshot.request, status: "PENDING" as const }
    }))
  ),
  ofStore(
    "asking_bounds",
    seeing(consents("request", "counts no earlier question"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, openUntil: [], madeAt: [] }
    }))
  ),
  ofStore(
    "asking_bounds",
    seeing(consents("request", "forgets a denial"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, deniedAt: undefined }
    }))
  ),
  ofStore(
    "chains_unbroken",
    after(consents("end", "writes a chain anew from its beginning"), (state) =>
      editAll(state.receipts, (receipt) => ({ ...receipt, body: receipt.body.replace("GRANTED", "DENIED") }))
    )
  ),
  ofStore(
    ["chains_unbroken", "receipts_for_all"],
    before(consents("grant", "continues another merchant's chain"), (state, [{ scope }]) => {
      const [longest] = [...state.receiptChains.values()].sort((one, other) => other.sequence - one.sequence)
      if (longest !== undefined) state.receiptChains.set(scopedKey(scope, ""), longest)
    })
  ),
  ofStore(
    "own_consents_only",
    answering(links("find", "shows another person's consents on a link"), (found, state) =>
      Option.map(found, (link) => {
        const other = [...state.consumers.values()].find(
          ({ environment, userId }) => environment === link.environment && userId !== link.userId
        )
        return { ...link, userId: other?.userId ?? link.userId }
      })
    )
  ),
  ofStore(
    "own_consents_only",
    answering(log("findGrant", "lets a link revoke anybody's grant"), (found, state) =>
      Option.map(found, (grant) => {
        const holder = [...state.managementLinks.values()].at(-1)
        return { ...grant, userId: holder?.userId ?? grant.userId }
      })
    )
  ),
  ofStore(
    "nothing_open_for_ever",
    answering(upkeep("lapsed", "never ends a grant"), (lapsed) => ({ ...lapsed, grants: [] }))
  )
]

const kyc: ReadonlyArray<Mistake> = [
  {
    how: "sends a submission again without a lookup",
    violates: ["paid_once"],
    parts: {
      vendor: (reached) => ({
        ...reached,
        name: reached.name,
        submit: reached.submit,
        lookup: () => Effect.succeedNone
      })
    }
  },
  ofStore(
    ["verified_needs_vendor", "evidence_stays"],
    asking(verifications("settle", "takes an unknown answer for a good one"), ([progress]) => {
      const { verification } = progress
      const status = verification.status === "ERROR" ? "VERIFIED" : verification.status
      return [{ ...progress, verification: { ...verification, status } }]
    })
  ),
  ofStore(
    "evidence_stays",
    asking(verifications("settle", "keeps no evidence"), ([progress]) => [{ ...progress, proof: undefined }])
  ),
  ofStore(
    "answers_never_change",
    before(
      verifications("settle", "keeps the latest answer"),
      (
        state,
        [
          {
            leased: { verification }
          }
        ]
      ) =>
        edit(state.verifications, verification.id, (stored) => ({
          ...stored,
          kept: stored.kept && { ...stored.kept, answer: undefined }
        }))
    )
  ),
  ofStore(
    "one_holder",
    answering(verifications("claim", "gives each lease the first fence"), (leased, state) => {
      editAll(state.verifications, (stored) => ({ ...stored, fence: 1 }))
      return leased.map((one) => ({ ...one, fence: 1 }))
    })
  ),
  ofStore(
    ["receipts_for_all", "chains_unbroken"],
    after(verifications("begin", "begins without a receipt"), (state, decision) => {
      if (decision._tag === "Execute") state.receipts.delete(decision.plan.receipt.id)
    })
  )
]

const telling: ReadonlyArray<Mistake> = [
  ofStore(
    "one_holder",
    asking(deliveries("claim", "claims what another sender has"), ([claim]) => [
      { ...claim, now: DateTime.add(claim.now, { seconds: 40 }) }
    ])
  ),
  ofStore(
    ["told_iff_committed", "lifecycle"],
    asking(deliveries("settle", "counts every attempt as delivered"), ([leased, attempt]) => [
      leased,
      attempt,
      { _tag: "Delivered" as const }
    ])
  ),
  ofStore(
    "nothing_open_for_ever",
    asking(deliveries("settle", "retries for ever"), ([leased, attempt]) => [
      leased,
      attempt,
      { _tag: "Retry" as const, at: DateTime.add(attempt.startedAt, { hours: 1 }) }
    ])
  ),
  ofStore(
    "own_records_only",
    instead(
      events("list", "lists every merchant's events"),
      (_, state) => () =>
        Effect.sync(() => ({ data: [...state.events.values()].map(({ event }) => event), nextCursor: undefined }))
    )
  ),
  ofStore(
    "told_iff_committed",
    answering(events("follow", "hides the newest event of a page from a poll"), (found) => found.toReversed())
  )
]

const rights: ReadonlyArray<Mistake> = [
  ofStore(
    ["reads_need_grant", "asking_bounds"],
    after(persons("restrict", "forgets a restriction"), (state) => state.restrictions.clear())
  ),
  ofStore(
    "lifecycle",
    after(rightsRequests("close", "reopens what was closed"), (state) =>
      editAll(state.rightsRequests, (request) => ({ ...request, status: "OPEN" as const }))
    )
  )
]

const about = (subject: Subject, mistakes: ReadonlyArray<Mistake>): ReadonlyArray<Mistake> =>
  mistakes.map((mistake) => ({ ...mistake, about: subject }))

/** At least one for each invariant. */
export const mistakes: ReadonlyArray<Mistake> = [
  ...about("money", money),
  ...about("consent", consent),
  ...about("kyc", kyc),
  ...about("rights", rights),
  ...telling
]
