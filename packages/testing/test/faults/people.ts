import { environmentKey, scopedKey } from "@surety/core/memory/MemoryState"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import * as Ends from "@surety/testing/person/ErasureEndLaws"
import * as Money from "@surety/testing/person/ErasureMoneyLaws"
import * as Races from "@surety/testing/person/ErasureRaceLaws"
import * as Logs from "@surety/testing/person/PersonLogLaws"
import * as People from "@surety/testing/person/PersonStoreLaws"
import * as Restrictions from "@surety/testing/person/RestrictionLaws"
import * as Rights from "@surety/testing/person/RightsRequestStoreLaws"
import * as Retention from "@surety/testing/retention/RetentionStoreLaws"
import { DateTime, Effect, Option } from "effect"
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
  lookThenAct
} from "./Fault.js"

const ofPeople = faultsOf(PersonStore)

const people: ReadonlyArray<Broken> = [
  answering(ofPeople("find", "forgets the host's key", People.findsPeople), (found) =>
    Option.map(found, ({ externalId: _, ...person }) => person)
  ),
  asking(ofPeople("restrict", "restricts no one", Restrictions.restricts), ([environment, serviceId]) => [
    environment,
    serviceId,
    undefined
  ]),
  answering(
    ofPeople("restrict", "counts every restriction as new", Restrictions.restricts, Restrictions.restrictsOnce),
    (found) => Option.map(found, (restricted) => ({ ...restricted, isNew: true }))
  ),
  before(ofPeople("restrict", "moves a restriction's time", Restrictions.restricts), (state) =>
    state.restrictions.clear()
  ),
  around(
    ofPeople("erase", "leaves the grants active", People.endsConsents, Races.winsRaces),
    (state) => new Map(state.grants),
    (grants, state) => {
      for (const [id, { status }] of grants) edit(state.grants, id, (grant) => ({ ...grant, status }))
    }
  ),
  around(
    ofPeople("erase", "writes no receipts", People.endsConsents),
    (state) => ({ chains: new Map(state.receiptChains), receipts: new Map(state.receipts) }),
    ({ chains, receipts }, state) => {
      for (const id of state.receipts.keys()) if (!receipts.has(id)) state.receipts.delete(id)
      state.receiptChains.clear()
      for (const [key, head] of chains) state.receiptChains.set(key, head)
    }
  ),
  after(ofPeople("erase", "gives the identifier free", People.removesPerson), (state, _, [{ person }]) =>
    state.consumersByServiceId.delete(environmentKey(person.environment, person.serviceId))
  ),
  around(
    ofPeople("erase", "keeps links", People.removesPerson),
    (state) => new Map(state.consumerLinks),
    (links, state) => {
      for (const [key, link] of links) state.consumerLinks.set(key, link)
    }
  ),
  around(
    ofPeople("erase", "keeps one-time codes", People.removesWaysIn),
    (state) => new Map(state.codeChallenges),
    (codes, state) => {
      for (const [name, code] of codes) state.codeChallenges.set(name, code)
    }
  ),
  after(ofPeople("erase", "removes every management link", People.removesWaysIn), (state) =>
    state.managementLinks.clear()
  ),
  asking(ofPeople("erase", "erases on any plan", People.erasesWhole), ([plan], state) => {
    const { person } = plan
    const isTheirs = ({ environment, userId }: { readonly environment: string; readonly userId: string }) =>
      environment === person.environment && userId === person.userId
    for (const grant of state.grants.values()) {
      const isPlanned = plan.ends.some((end) => end.grant.id === grant.id)
      if (isTheirs(grant) && grant.status === "ACTIVE" && !isPlanned) {
        state.grants.set(grant.id, { ...grant, status: "EXPIRED" })
      }
    }
    return [plan]
  }),
  instead(
    ofPeople("erase", "renames before it looks", Races.winsRaces),
    (erase, state) => (plan) =>
      lookThenAct(
        () => [...state.grants.values()].filter(({ userId }) => userId === plan.person.userId),
        (grants) =>
          Effect.tap(erase(plan), () =>
            Effect.sync(() => {
              for (const grant of grants) state.grants.set(grant.id, grant)
            })
          )
      )
  ),
  asking(ofPeople("erase", "misses what was begun since", Ends.keepsUpWithVerifications), ([plan], state) => {
    const planned = new Set(plan.verifications.map(({ verification }) => verification.id))
    for (const { verification } of state.verifications.values()) {
      if (verification.userId === plan.person.userId && !planned.has(verification.id)) {
        state.verifications.delete(verification.id)
      }
    }
    return [plan]
  }),
  around(
    ofPeople("erase", "emits no event of a verification's end", Ends.tellsVerificationEnds, Ends.endsVerificationsOnce),
    (state) => new Set(state.events.keys()),
    (before, state) => {
      for (const [id, { event }] of state.events) {
        if (!before.has(id) && event.topic === "kyc.verification.completed") state.events.delete(id)
      }
    }
  ),
  after(ofPeople("erase", "keeps the fence of a lease", Ends.tellsVerificationEnds), (state, _, [plan]) => {
    for (const { verification } of plan.verifications) {
      edit(state.verifications, verification.id, (stored) => ({
        ...stored,
        fence: stored.fence - 1,
        verification: { ...stored.verification, status: "PENDING" as const }
      }))
    }
  }),
  asking(ofPeople("erase", "cancels what has expired", Ends.expiresWhatIsOver), ([plan]) => [
    {
      ...plan,
      expired: [],
      cancelled: [
        ...plan.cancelled,
        ...plan.expired.map(({ request }) => ({ ...request, status: "CANCELLED" as const }))
      ]
    }
  ]),
  around(
    ofPeople("erase", "leaves payments under the former user id", Money.keepsMoney),
    (state) => new Map(state.payments),
    (payments, state) => {
      for (const [key, { userId }] of payments) {
        edit(state.payments, key, (payment) => ({ ...payment, ...(userId === undefined ? {} : { userId }) }))
      }
    }
  ),
  after(ofPeople("erase", "forgets the keys of refunds", Money.keepsMoney), (state) => state.refundsByKey.clear()),
  asking(ofPeople("erase", "does not wait for refunds", Money.waitsForRefunds), ([plan], state) => {
    editAll(state.refunds, (stored) => ({ ...stored, refund: { ...stored.refund, status: "COMPLETED" as const } }))
    return [plan]
  }),
  around(
    ofPeople("erase", "keeps the hashes of numbers", Money.forgetsNumbers),
    (state) => new Map(state.verifications),
    (verifications, state) => {
      for (const [id, { verification }] of verifications) {
        edit(state.verifications, id, (stored) => ({
          ...stored,
          verification: { ...stored.verification, idHash: verification.idHash }
        }))
      }
    }
  ),
  around(
    ofPeople("erase", "keeps receivers' answers", Money.forgetsReceiversAnswers),
    (state) => new Map(state.deliveries),
    (deliveries, state) => {
      for (const [key, stored] of deliveries) state.deliveries.set(key, stored)
    }
  ),
  around(
    ofPeople("erase", "keeps receivers' answers about changes", Money.forgetsReceiversAnswers),
    (state) => new Map(state.deliveries),
    (deliveries, state) => {
      for (const [key, stored] of deliveries) {
        const topic = state.events.get(stored.delivery.eventId)?.event.topic
        if (topic === "merchant.identity.data_changed") state.deliveries.set(key, stored)
      }
    }
  ),
  after(ofPeople("erase", "removes all receivers' answers", Money.forgetsReceiversAnswers), (state) =>
    editAll(state.deliveries, (stored) => ({
      ...stored,
      attempts: stored.attempts.map(({ responseBody: _, ...attempt }) => attempt)
    }))
  ),
  around(
    ofPeople("erase", "leaves rights requests open", Money.closesRightsRequests),
    (state) => new Map(state.rightsRequests),
    (requests, state) => {
      for (const [id, request] of requests) state.rightsRequests.set(id, request)
    }
  ),
  answering(ofPeople("remains", "counts nothing", Money.keepsMoney, Money.closesRightsRequests), (remains) => ({
    ...remains,
    payments: 0,
    rightsRequests: 0
  })),
  instead(
    faultsOf(PaymentStore)("record", "takes payments of no one", Money.storesNothingAfter),
    (_, state) =>
      ({ payment }) =>
        Effect.sync(() => {
          state.payments.set(scopedKey(payment, payment.id), payment)
          return "recorded" as const
        })
  )
]

const ofLog = faultsOf(PersonLog)

const logs: ReadonlyArray<Broken> = [
  answering(ofLog("holdings", "leaves verifications' messages out", Logs.holdsEverything), (held) =>
    Option.map(held, (all) => ({ ...all, messages: all.messages.filter(({ topic }) => !topic.startsWith("kyc.")) }))
  ),
  answering(ofLog("holdings", "leaves messages about changes out", Logs.holdsEverything), (held) =>
    Option.map(held, (all) => ({
      ...all,
      messages: all.messages.filter(({ topic }) => topic !== "merchant.identity.data_changed")
    }))
  ),
  answering(ofLog("holdings", "shows the reads of all people", Logs.holdsEverything), (held, state) =>
    Option.map(held, (all) => ({ ...all, reads: [...state.identityReads.values()] }))
  ),
  asking(
    ofLog("holdings", "holds all where the newest are asked for", Logs.holdsNewest),
    ([environment, serviceId]) => [environment, serviceId]
  ),
  answering(ofLog("holdings", "holds the newest of all where all are asked for", Logs.holdsEverything), (held) =>
    Option.map(held, (all) => ({ ...all, receipts: all.receipts.slice(-1) }))
  ),
  asking(ofLog("reads", "reports every merchant's reads", Logs.reportsReads), ([filter, page]) => [
    { ...filter, merchantId: undefined },
    page
  ]),
  asking(ofLog("reads", "reports every key's reads", Logs.reportsReads), ([filter, page]) => [
    { ...filter, apiKeyId: undefined },
    page
  ]),
  asking(ofLog("reads", "reports reads of any time", Logs.reportsReads), ([filter, page]) => [
    { ...filter, until: undefined },
    page
  ])
]

const ofRights = faultsOf(RightsRequestStore)

const rights: ReadonlyArray<Broken> = [
  answering(ofRights("close", "closes again what is closed", Rights.closesOnce), (closed) =>
    Option.map(closed, (one) => ({ ...one, isNew: true }))
  ),
  instead(
    ofRights("ask", "keeps every request", Rights.keepsOneOpen),
    (_, state) => (request) =>
      Effect.sync(() => {
        state.rightsRequests.set(request.id, request)
        return Option.some(request)
      })
  ),
  before(ofRights("close", "opens closed requests", Rights.closesOnce), (state, [{ id }]) =>
    edit(state.rightsRequests, id, ({ closedAt: _, closedBy: __, ...request }) => ({
      ...request,
      status: "OPEN" as const
    }))
  ),
  asking(ofRights("find", "finds LIVE requests in TEST", Rights.findsOwn), ([, id]) => ["LIVE" as const, id]),
  asking(ofRights("list", "lists requests of every status", Rights.listsByDeadline), ([environment, _, page]) => [
    environment,
    undefined,
    page
  ]),
  answering(ofRights("list", "lists the last deadline first", Rights.listsByDeadline), ({ data, nextCursor }) => ({
    data: data.toReversed(),
    nextCursor
  }))
]

const ofRetention = faultsOf(RetentionStore)

const retention: ReadonlyArray<Broken> = [
  asking(
    ofRetention(
      "take",
      "takes more than the limit",
      Retention.takesReads,
      Retention.takesAnswers,
      Retention.takesDeliveries,
      Retention.takesCodes,
      Retention.takesRightsRequests
    ),
    ([kind, before_]) => [kind, before_, 1_000]
  ),
  asking(ofRetention("take", "takes what is not old enough", Retention.takesReads), ([kind, before_, limit]) => [
    kind,
    DateTime.add(before_, { milliseconds: 1 }),
    limit
  ]),
  after(ofRetention("take", "takes the attempt with the answer", Retention.takesAnswers), (state) =>
    editAll(state.deliveries, (stored) => ({
      ...stored,
      attempts: stored.attempts.filter(({ responseBody }) => responseBody !== undefined)
    }))
  ),
  after(ofRetention("take", "takes deliveries that wait", Retention.takesDeliveries), (state) =>
    state.deliveries.clear()
  ),
  after(ofRetention("take", "takes open rights requests", Retention.takesRightsRequests), (state) =>
    state.rightsRequests.clear()
  ),
  after(ofRetention("take", "takes grants, too", Retention.takesReads), (state) => state.grants.clear())
]

export const brokenStores: ReadonlyArray<Broken> = [...people, ...logs, ...rights, ...retention]
