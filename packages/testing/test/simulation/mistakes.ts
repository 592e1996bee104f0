import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { OperatorActionId } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import { accountPartText } from "@surety/core/ledger/Account"
import { transferOf } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { post } from "@surety/core/memory/ledger/MemoryBooks"
import { environmentKey, scopedKey } from "@surety/core/memory/MemoryState"
import { snapshotOf, writePlan } from "@surety/core/memory/refund/MemoryRefundStore"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import type { Subject } from "@surety/testing/simulation/Repertoire"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { DateTime, Effect, Layer, Option } from "effect"
import {
  after,
  answering,
  around,
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
const personLog = faultsOf(PersonLog)
const retention = faultsOf(RetentionStore)
const actions = faultsOf(OperatorActionStore)
const proposals = faultsOf(ProposalStore)
const sessions = faultsOf(OperatorSessionStore)
const operatorTransfers = faultsOf(OperatorTransferStore)
const queue = faultsOf(HostRequestStore)

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

const erasure: ReadonlyArray<Mistake> = [
  ofStore(
    "erased_stays_erased",
    around(
      persons("erase", "keeps a copy of whom it erases"),
      (state, [{ person }]) => state.consumers.get(environmentKey(person.environment, person.userId)),
      (consumer, state, [{ person }]) => {
        if (consumer !== undefined) state.consumers.set(environmentKey(person.environment, person.userId), consumer)
      }
    )
  ),
  ofStore(
    "erased_stays_erased",
    asking(persons("erase", "leaves the person's id in what must stay"), ([plan]) => [
      { ...plan, pseudonym: plan.person.userId }
    ])
  ),
  ofStore(
    ["erased_stays_erased", "own_records_only"],
    instead(personLog("holdings", "exports whom it erased from a copy"), (holdings) => {
      const copies = new Map<string, Effect.Success<ReturnType<typeof holdings>>>()
      return (environment, serviceId) =>
        Effect.map(holdings(environment, serviceId), (found) => {
          const key = environmentKey(environment, serviceId)
          const known = Option.isSome(found) ? found : (copies.get(key) ?? found)
          copies.set(key, known)
          return known
        })
    })
  ),
  {
    how: "takes a host's silence for an erasure",
    violates: ["erased_stays_erased"],
    parts: {
      holder: (reached) => ({ ...reached, name: reached.name, export: reached.export, erase: () => Effect.void })
    }
  },
  ofStore(
    "kept_for_its_time",
    asking(retention("take", "takes reads a month early"), ([kind, before, limit]) => [
      kind,
      DateTime.add(before, { days: 30 }),
      limit
    ])
  ),
  ofStore(
    "kept_for_its_time",
    asking(retention("take", "takes no read ever"), ([kind, before, limit]) => [
      kind,
      kind === "reads" || kind === "rightsRequests" ? DateTime.subtract(before, years) : before,
      limit
    ])
  )
]

const approving: ReadonlyArray<Mistake> = [
  ofStore(
    "one_action_a_change",
    instead(actions("commit", "loses the action of a change"), (commit) => (change) => commit(change, () => undefined))
  ),
  ofStore(
    "one_action_a_change",
    instead(
      actions("commit", "keeps the action of a change twice"),
      (commit, state) => (change, describe) =>
        Effect.tap(commit(change, describe), () =>
          Effect.sync(() => {
            const last = [...state.operatorActions.values()].at(-1)
            if (last === undefined) return
            const id = OperatorActionId.make(`${last.id.slice(0, -1)}0`)
            state.operatorActions.set(id, { ...last, id })
          })
        )
    )
  ),
  ofStore(
    ["proposals_once", "one_action_a_change"],
    instead(
      proposals("carryOut", "leaves an approved proposal open"),
      (carryOut, state) => (decision, change) =>
        Effect.tap(carryOut(decision, change), () =>
          Effect.sync(() =>
            edit(state.proposals, decision.id, (stored) => ({
              ...stored,
              proposal: { ...stored.proposal, status: "OPEN" as const }
            }))
          )
        )
    )
  ),
  ofStore(
    "proposals_once",
    instead(
      proposals("carryOut", "carries out another proposal"),
      (carryOut, state) => (decision, change) =>
        carryOut(decision, (proposal) => change([...state.proposals.values()].at(-1)?.proposal ?? proposal))
    )
  ),
  ofStore(
    "books_balance",
    instead(
      operatorTransfers("post", "takes more than an account has"),
      (_, state) =>
        ({ posted, idempotencyKey, fingerprint }) =>
          Effect.sync(() => {
            const key = environmentKey(posted.environment, idempotencyKey)
            const prior = state.operatorTransfers.get(key)
            if (prior !== undefined) return { _tag: "Existing" as const, ...prior }
            state.operatorTransfers.set(key, { posted, fingerprint })
            post(state, transferOf(posted))
            return { _tag: "Posted" as const }
          })
    )
  ),
  ofStore(
    ["host_requests_once", "nothing_open_for_ever"],
    instead(
      queue("settle", "stores the work of a request without its outcome"),
      (_settle, state) =>
        ({ fence, key }, _now, work) =>
          Effect.suspend(() =>
            state.hostRequests.get(key)?.fence === fence ? Effect.map(work, () => Option.none()) : Effect.succeedNone
          )
    )
  ),
  ofStore(
    ["host_requests_once", "one_holder"],
    instead(
      queue("claim", "takes up the newest of a queue first"),
      (claim, state) => (asked) =>
        Effect.suspend(() => {
          const turn = () => editAll(state.hostRequests, (stored) => ({ ...stored, place: -stored.place }))
          turn()
          return Effect.tap(claim(asked), () => Effect.sync(turn))
        })
    )
  )
]

const operating: ReadonlyArray<Mistake> = [
  ofStore(
    "sessions_end",
    instead(
      sessions("end", "does not end a session"),
      (_, state) => (id) =>
        Effect.sync(() =>
          Option.fromUndefinedOr([...state.operatorSessions.values()].find((session) => session.id === id))
        )
    )
  ),
  ofStore(
    "sessions_end",
    instead(sessions("use", "remembers sessions that it has seen"), (use) => {
      const seen = new Map<string, Effect.Success<ReturnType<typeof use>>>()
      return (hash, inForce) =>
        Effect.map(use(hash, inForce), (found) => {
          const known = Option.isSome(found) ? found : (seen.get(hash) ?? found)
          seen.set(hash, known)
          return known
        })
    })
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
  ...about("rights", erasure),
  ...about("approval", approving),
  ...about("console", operating),
  ...telling
]
