import type { Environment } from "@surety/core/Environment"
import { EventLog } from "@surety/core/event/EventLog"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { mayApprove, type Proposal } from "@surety/core/operator/approval/Proposal"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { SearchIndex } from "@surety/core/search/SearchIndex"
import * as Endpoints from "@surety/testing/event/EndpointHealthLaws"
import * as Audits from "@surety/testing/ledger/AuditRunStoreLaws"
import * as Sessions from "@surety/testing/operator/OperatorSessionStoreLaws"
import * as ProposalLists from "@surety/testing/operator/ProposalListLaws"
import * as Proposals from "@surety/testing/operator/ProposalStoreLaws"
import * as Overviews from "@surety/testing/overview/OverviewLogLaws"
import * as Troubles from "@surety/testing/overview/TroubleLaws"
import * as Refunds from "@surety/testing/refund/RefundListLaws"
import * as Searches from "@surety/testing/search/SearchIndexLaws"
import { DateTime, Effect, Option, Redacted } from "effect"
import { after, answering, asking, type Broken, countingPages, edit, editAll, faultsOf, instead } from "./Fault.js"

const ofSessions = faultsOf(OperatorSessionStore)
const ofProposals = faultsOf(ProposalStore)
const ofSearch = faultsOf(SearchIndex)
const ofOverview = faultsOf(OverviewLog)
const ofAudits = faultsOf(AuditRunStore)

const live: Environment = "LIVE"

const longAgo = DateTime.makeUnsafe(0)
const farAhead = DateTime.makeUnsafe("2999-01-01T00:00:00Z")

const sessions: ReadonlyArray<Broken> = [
  asking(ofSessions("insert", "forgets the browser", Sessions.keepsAll), ([{ userAgent: _, ...session }, hash]) => [
    session,
    hash
  ]),
  asking(ofSessions("use", "never writes the last use", Sessions.keepsAll), ([hash, use]) => [
    hash,
    { ...use, touchedBefore: longAgo }
  ]),
  asking(ofSessions("use", "lets idle sessions go on", Sessions.endsByItself), ([hash, use]) => [
    hash,
    { ...use, usedAfter: longAgo }
  ]),
  asking(ofSessions("use", "lets sessions go on for good", Sessions.endsByItself), ([hash, use]) => [
    hash,
    { ...use, now: DateTime.subtract(use.now, { hours: 12 }) }
  ]),
  after(ofSessions("end", "ends every session of the operator", Sessions.endsOnce), (state, ended) => {
    for (const [hash, { operator }] of state.operatorSessions) {
      if (Option.exists(ended, (session) => session.operator === operator)) state.operatorSessions.delete(hash)
    }
  }),
  instead(ofSessions("end", "ends nothing", Sessions.endsOnce), () => () => Effect.succeedNone),
  after(ofSessions("endAll", "ends everyone's sessions", Sessions.endsOnce), (state) => state.operatorSessions.clear()),
  asking(ofSessions("list", "lists every operator's sessions", Sessions.listsInForce), ([, inForce, page]) => [
    undefined,
    inForce,
    page
  ]),
  asking(ofSessions("list", "lists sessions that are over", Sessions.listsInForce), ([operator, inForce, page]) => [
    operator,
    { ...inForce, usedAfter: longAgo },
    page
  ]),
  instead(
    ofSessions("list", "counts sessions for a cursor", Sessions.listsInForce),
    (list) => (operator, inForce, page) => countingPages((all) => list(operator, inForce, all))(page)
  ),
  asking(ofSessions("sweep", "sweeps all at once", Sessions.sweeps), ([inForce]) => [inForce, 1_000]),
  after(ofSessions("sweep", "sweeps sessions in force", Sessions.sweeps), (state) => state.operatorSessions.clear())
]

const proposals: ReadonlyArray<Broken> = [
  asking(ofProposals("propose", "forgets the direction", Proposals.keepsProposals), ([plan]) => {
    const { proposal } = plan
    if (proposal.command._tag === "Erasure") return [plan]
    const { direction: _, ...command } = proposal.command
    return [{ ...plan, proposal: { ...proposal, command } }]
  }),
  instead(
    ofProposals("propose", "stores a used key again", Proposals.keepsProposals),
    (propose, state) => (plan) =>
      Effect.tap(propose(plan), () => Effect.sync(() => state.proposals.set(plan.proposal.id, plan)))
  ),
  instead(
    ofProposals("find", "finds proposals of the other environment", Proposals.keepsProposals),
    (find) => (_, id) =>
      Effect.flatMap(find("LIVE", id), (live) => (Option.isSome(live) ? Effect.succeed(live) : find("TEST", id)))
  ),
  instead(
    ofProposals("findByKey", "finds a key of the other environment", Proposals.keepsProposals),
    (findByKey) => (_, key) => findByKey("LIVE", key)
  ),
  instead(
    ofProposals("carryOut", "looks first and marks later", Proposals.carriesOutOnce),
    (_, state) => (decision, change) =>
      Effect.gen(function* () {
        const open = state.proposals.get(decision.id)?.proposal
        yield* Effect.yieldNow
        if (open === undefined || !mayApprove(open, decision.by, decision.at)) return Option.none()
        const { result, transferId } = yield* change(open)
        const { at: decidedAt, by: decidedBy } = decision
        const transfer = transferId === undefined ? {} : { transferId }
        const proposal: Proposal = { ...open, status: "APPROVED", decidedBy, decidedAt, ...transfer }
        edit(state.proposals, open.id, (stored) => ({ ...stored, proposal }))
        return Option.some({ proposal, result })
      })
  ),
  instead(
    ofProposals("carryOut", "lets the proposer decide", Proposals.neverByOneAlone),
    (carryOut) => (decision, change) =>
      carryOut(/^ada$/i.test(decision.by) ? { ...decision, by: "someone else" } : decision, change)
  ),
  instead(
    ofProposals("carryOut", "takes another letter case for another operator", Proposals.neverByOneAlone),
    (carryOut) => (decision, change) =>
      carryOut(decision.by === "ada" ? { ...decision, by: "someone else" } : decision, change)
  ),
  instead(
    ofProposals("carryOut", "carries out what is over", Proposals.neverByOneAlone),
    (carryOut) => (decision, change) => carryOut({ ...decision, at: longAgo }, change)
  ),
  instead(
    ofProposals("carryOut", "closes a proposal whose change failed", Proposals.failureLeavesOpen),
    (carryOut, state) => (decision, change) =>
      Effect.onError(carryOut(decision, change), () =>
        Effect.sync(() =>
          edit(state.proposals, decision.id, (stored) => ({
            ...stored,
            proposal: { ...stored.proposal, status: "REFUSED" as const, refusal: "failed" }
          }))
        )
      )
  ),
  instead(
    ofProposals("carryOut", "forgets the transfer", Proposals.keepsWhoApproved),
    (carryOut) => (decision, change) =>
      carryOut(decision, (proposal) => Effect.map(change(proposal), ({ result }) => ({ result })))
  ),
  asking(ofProposals("refuse", "forgets why", Proposals.keepsRefusals), ([decision, , by]) => [
    decision,
    "refused",
    by
  ]),
  instead(
    ofProposals("refuse", "refuses what is over", Proposals.neverByOneAlone),
    (refuse) => (decision, why, by) => refuse({ ...decision, at: longAgo }, why, by)
  ),
  asking(ofProposals("refuse", "refuses what is begun", Proposals.begunIsNotRefused), ([decision, why]) => [
    decision,
    why,
    "REFUSE_BEGUN" as const
  ]),
  asking(ofProposals("refuse", "leaves what is begun open", Proposals.begunIsClosedByCommit), ([decision, why]) => [
    decision,
    why,
    "KEEP_BEGUN" as const
  ]),
  instead(ofProposals("begin", "marks nothing", Proposals.begunIsNotRefused), () => () => Effect.succeed(true)),
  instead(
    ofProposals("begin", "begins what its proposer begins", Proposals.begunIsNotRefused),
    (begin) => (decision) => begin({ ...decision, by: "someone else" })
  ),
  asking(ofProposals("list", "lists proposals of every status", ProposalLists.listsByStatus), ([filter, page]) => [
    { ...filter, status: undefined },
    page
  ]),
  asking(ofProposals("list", "lists what is over as open", ProposalLists.listsByStatus), ([filter, page]) => [
    { ...filter, now: longAgo },
    page
  ]),
  asking(ofProposals("list", "lists everyone's erasures as one's", ProposalLists.listsErasures), ([filter, page]) => [
    { ...filter, erasureOf: undefined },
    page
  ]),
  instead(
    ofProposals("list", "counts proposals for a cursor", ProposalLists.listsByStatus),
    (list) => (filter, page) => countingPages((all) => list(filter, all))(page)
  )
]

const shorter = (start: Redacted.Redacted<string> | undefined) =>
  start && Redacted.make(Redacted.value(start).slice(0, 1))

const searches: ReadonlyArray<Broken> = [
  answering(
    ofSearch("place", "places every record in LIVE", Searches.placesIds),
    Option.map((place) => ({ ...place, environment: "LIVE" as const }))
  ),
  answering(
    ofSearch("place", "omits the person", Searches.placesConsents),
    Option.map(({ serviceId: _, ...place }) => place)
  ),
  asking(ofSearch("find", "shows one environment's people in the other", Searches.findsPeople), ([, terms, bounds]) => [
    live,
    terms,
    bounds
  ]),
  asking(ofSearch("find", "knows no e-mail", Searches.findsPeople), ([environment, terms, bounds]) => [
    environment,
    { ...terms, email: undefined },
    bounds
  ]),
  asking(
    ofSearch("find", "finds the beginnings of two letters", Searches.findsPeople),
    ([environment, terms, bounds]) => [environment, { ...terms, nameStart: shorter(terms.nameStart) }, bounds]
  ),
  asking(ofSearch("find", "knows no business code", Searches.findsMerchants), ([environment, terms, bounds]) => [
    environment,
    { ...terms, businessCode: undefined },
    bounds
  ]),
  answering(ofSearch("find", "hides refunds", Searches.findsMoney), (groups) =>
    groups.filter(({ kind }) => kind !== "refund")
  ),
  answering(ofSearch("find", "shows the last first", Searches.countsAndOrders), (groups) =>
    groups.map((group) => ({ ...group, hits: [...group.hits].reverse() }))
  ),
  asking(ofSearch("find", "counts to the end", Searches.countsAndOrders), ([environment, terms, bounds]) => [
    environment,
    terms,
    { ...bounds, countTo: 1_000 }
  ])
]

const overviews: ReadonlyArray<Broken> = [
  answering(
    ofOverview("attention", "tells a deadline as the age of a request", Overviews.seesTrouble),
    (attention) => ({
      ...attention,
      rightsRequests: { ...attention.rightsRequests, since: attention.rightsRequestsNear.since ?? farAhead }
    })
  ),
  instead(
    ofOverview("attention", "calls a request late an hour before its deadline", Overviews.seesTrouble),
    (attention) => (environment, bounds) =>
      Effect.zipWith(
        attention(environment, bounds),
        attention(environment, { ...bounds, now: DateTime.add(bounds.now, { hours: 1 }) }),
        (sound, { rightsRequestsLate, rightsRequestsNear }) => ({ ...sound, rightsRequestsLate, rightsRequestsNear })
      )
  ),
  answering(ofOverview("attention", "overlooks what is disabled", Overviews.seesTrouble), (attention) => ({
    ...attention,
    endpointsDisabled: { count: 0, since: undefined }
  })),
  asking(ofOverview("attention", "counts LIVE in TEST", Overviews.seesTrouble), ([, bounds]) => [live, bounds]),
  asking(ofOverview("attention", "counts to the end", Overviews.seesTrouble), ([environment, bounds]) => [
    environment,
    { ...bounds, countTo: 1_000_000 }
  ]),
  asking(ofOverview("troubledEndpoints", "lists LIVE in TEST", Troubles.listsTroubled), ([, limit]) => [live, limit]),
  answering(ofOverview("troubledEndpoints", "lists the shortest first", Troubles.listsTroubled), (endpoints) =>
    endpoints.toReversed()
  ),
  asking(ofOverview("troubledEndpoints", "lists all", Troubles.listsTroubled), ([of]) => [of, 1_000_000]),
  asking(ofOverview("stuckVerifications", "lists LIVE in TEST", Troubles.listsStuck), ([, ...more]) => [live, ...more]),
  answering(ofOverview("stuckVerifications", "lists the newest first", Troubles.listsStuck), (verifications) =>
    verifications.toReversed()
  ),
  asking(ofOverview("stuckVerifications", "lists all", Troubles.listsStuck), ([of, before]) => [of, before, 1_000_000]),
  after(ofOverview("countHours", "forgets the sums", Overviews.countsFacts), (state) =>
    editAll(state.countedHours, (stored) => ({
      ...stored,
      counts: stored.counts.map(({ amountMinor: _, ...count }) => count)
    }))
  ),
  asking(ofOverview("hours", "shows LIVE in TEST", Overviews.countsFacts), ([range]) => [
    { ...range, environment: live }
  ]),
  answering(ofOverview("hours", "lists an hour's facts as it counted them", Overviews.countsFacts), (hours) =>
    hours.toReversed()
  ),
  after(ofOverview("countHours", "counts each hour in every round", Overviews.countsInTurn), (state) =>
    editAll(state.countedHours, (stored) => ({ ...stored, countedAt: longAgo }))
  ),
  asking(ofOverview("countHours", "counts all hours at once", Overviews.countsInTurn), ([range]) => [range, 1_000])
]

const audits: ReadonlyArray<Broken> = [
  instead(ofAudits("last", "returns the run that was recorded last", Audits.keepsLast), (_, { auditRuns }) =>
    Effect.sync(() => Option.fromUndefinedOr(auditRuns.at(-1)))
  ),
  asking(ofAudits("record", "forgets what was checked", Audits.keepsLast), ([run]) => [{ ...run, checks: [] }])
]

const ofLog = faultsOf(EventLog)
const ofRefunds = faultsOf(RefundStore)

const trails: ReadonlyArray<Broken> = [
  answering(
    ofRefunds("trail", "forgets the reversal", Refunds.tellsTrail),
    Option.map((trail) => ({ ...trail, transfers: trail.transfers.slice(0, 1) }))
  ),
  instead(ofRefunds("trail", "shows LIVE refunds in TEST", Refunds.tellsTrail), (trail) => (_, id) => trail(live, id)),
  answering(ofLog("endpointHealth", "shows the oldest attempt first", Endpoints.tellsHealth), (health) => ({
    ...health,
    attempts: [...health.attempts].reverse()
  })),
  asking(
    ofLog("endpointHealth", "takes what is planned for due", Endpoints.tellsHealth),
    ([scope, id, now, countTo]) => [scope, id, DateTime.add(now, { days: 1 }), countTo]
  ),
  asking(ofLog("listDeliveries", "lists deliveries until now", Endpoints.filtersByTime), ([filter, page]) => [
    { ...filter, until: undefined },
    page
  ]),
  asking(ofLog("listDeliveries", "lists deliveries since ever", Endpoints.filtersByTime), ([filter, page]) => [
    { ...filter, since: undefined },
    page
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [
  ...sessions,
  ...proposals,
  ...searches,
  ...overviews,
  ...audits,
  ...trails
]
