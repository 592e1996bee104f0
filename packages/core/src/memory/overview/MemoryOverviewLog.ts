import { DateTime, Effect, Layer, Order } from "effect"
import { isPending } from "../../consent/request/DataRequest.js"
import type { Environment } from "../../Environment.js"
import type { Topic } from "../../event/DomainEvent.js"
import { madeAtMillis } from "../../Ids.js"
import { isVerificationOpen } from "../../kyc/verification/Verification.js"
import { statusAt } from "../../operator/approval/Proposal.js"
import { hourOf, hoursDue } from "../../overview/hoursDue.js"
import {
  type AttentionBounds,
  type Counted,
  type HourCount,
  type HourlyFact,
  OverviewLog,
  type StuckVerification,
  type TroubledEndpoint
} from "../../overview/OverviewLog.js"
import { MemoryState, type StoredHour } from "../MemoryState.js"

type State = MemoryState["Service"]

const counted = (times: ReadonlyArray<DateTime.Utc>, countTo: number): Counted => ({
  count: Math.min(times.length, countTo),
  since: [...times].sort(DateTime.Order)[0]
})

const before = (limit: DateTime.Utc) => (at: DateTime.Utc) => DateTime.isLessThan(at, limit)

const attentionOf = (state: State, environment: Environment, bounds: AttentionBounds) => {
  const { countTo, disownedSince, dueBefore, now, refundsBefore, verificationsBefore } = bounds
  const here = (record: { readonly environment: Environment }) => record.environment === environment
  const endpoints = [...state.endpoints.values()].filter(here)
  const requests = [...state.dataRequests.values()].map(({ request }) => request).filter(here)
  const open = [...state.rightsRequests.values()].filter((request) => here(request) && request.status === "OPEN")
  const due = open.map(({ dueAt }) => dueAt)
  const since = (times: ReadonlyArray<DateTime.Utc>) => counted(times, countTo)
  return {
    endpointsFailing: since(
      endpoints.flatMap(({ failingSince, status }) =>
        status === "ENABLED" && failingSince !== undefined ? [failingSince] : []
      )
    ),
    endpointsDisabled: since(
      endpoints.flatMap(({ disabledAt, status, updatedAt }) => (status === "DISABLED" ? [disabledAt ?? updatedAt] : []))
    ),
    refundsPending: since(
      [...state.refunds.values()]
        .filter(({ played, refund }) => here(refund) && refund.status === "PENDING" && played !== "pending")
        .map(({ refund }) => refund.createdAt)
        .filter(before(refundsBefore))
    ),
    verificationsStuck: since(
      [...state.verifications.values()]
        .filter(({ verification }) => here(verification) && isVerificationOpen(verification.status))
        .map(({ verification }) => verification.createdAt)
        .filter(before(verificationsBefore))
    ),
    rightsRequests: since(open.map(({ askedAt }) => askedAt)),
    rightsRequestsNear: since(due.filter((at) => DateTime.isLessThan(now, at) && before(dueBefore)(at))),
    rightsRequestsLate: since(due.filter((at) => DateTime.isLessThanOrEqualTo(at, now))),
    merchantsInReview: since(
      [...state.merchants.values()].flatMap(({ createdAt, status }) => (status === "PENDING_REVIEW" ? [createdAt] : []))
    ),
    dataRequestsPending: since(requests.filter((request) => isPending(request, now)).map(({ createdAt }) => createdAt)),
    disowned: since(
      requests
        .filter(({ denialReason }) => denialReason === "NOT_ME")
        .map(({ createdAt }) => createdAt)
        .filter((at) => DateTime.isGreaterThanOrEqualTo(at, disownedSince))
    ),
    proposals: since(
      [...state.proposals.values()]
        .filter(({ proposal }) => here(proposal) && statusAt(proposal, now) === "OPEN")
        .map(({ proposal }) => proposal.proposedAt)
    )
  }
}

const troubledIn = (state: State, environment: Environment): ReadonlyArray<TroubledEndpoint> =>
  [...state.endpoints.values()].flatMap(
    ({ disabledAt, failingSince, id, merchantId, status, updatedAt, url, ...of }) => {
      const since = status === "DISABLED" ? (disabledAt ?? updatedAt) : failingSince
      return of.environment === environment && since !== undefined
        ? [{ endpointId: id, merchantId, url, status, since }]
        : []
    }
  )

const stuckIn = (state: State, environment: Environment, isBefore: (at: DateTime.Utc) => boolean) =>
  [...state.verifications.values()]
    .map(({ verification }) => verification)
    .filter((one) => one.environment === environment && isVerificationOpen(one.status) && isBefore(one.createdAt))
    .map(
      ({ createdAt, id, kind, merchantId, provider, serviceId }): StuckVerification => ({
        verificationId: id,
        merchantId,
        serviceId,
        kind,
        ...(provider === undefined ? {} : { provider }),
        createdAt
      })
    )

const oldestFirst = Order.combine(
  Order.mapInput(DateTime.Order, ({ createdAt }: StuckVerification) => createdAt),
  Order.mapInput(Order.String, ({ verificationId }: StuckVerification) => verificationId)
)

const longestFirst = Order.combine(
  Order.mapInput(DateTime.Order, ({ since }: TroubledEndpoint) => since),
  Order.mapInput(Order.String, ({ endpointId }: TroubledEndpoint) => endpointId)
)

const ofTransfers: Readonly<Record<string, HourlyFact>> = {
  PAYMENT: "payment.settled",
  REFUND: "refund.paid",
  REFUND_REVERSAL: "refund.returned"
}

const ofTopics: Readonly<Partial<Record<Topic, HourlyFact>>> = {
  "merchant.identity.consent_granted": "consent.granted",
  "merchant.identity.request.denied": "consent.denied",
  "merchant.identity.consent_revoked": "consent.revoked",
  "merchant.identity.consent_expired": "consent.expired",
  "kyc.verification.completed": "verification.ended"
}

type Fact = Omit<HourCount, "hour" | "count"> & { readonly environment: Environment; readonly at: number }

function* factsOf(state: State): Generator<Fact> {
  for (const { amount, credit, id, kind } of state.transfers.values()) {
    const fact = ofTransfers[kind]
    if (fact === undefined) continue
    const { currency, minor } = amount
    yield { fact, environment: credit.environment, at: madeAtMillis(id), currency, amountMinor: minor }
  }
  for (const { event } of state.events.values()) {
    const fact = ofTopics[event.topic]
    if (fact === undefined || event.testFor !== undefined) continue
    yield { fact, environment: event.environment, at: madeAtMillis(event.id) }
  }
  for (const { request } of state.dataRequests.values()) {
    yield { fact: "consent.asked", environment: request.environment, at: madeAtMillis(request.id) }
  }
  for (const { attempts, delivery } of state.deliveries.values()) {
    for (const { responseStatus = 0, startedAt } of attempts) {
      const fact = responseStatus >= 200 && responseStatus < 300 ? "delivery.taken" : "delivery.refused"
      yield { fact, environment: delivery.environment, at: DateTime.toEpochMillis(startedAt) }
    }
  }
}

const countOf = (state: State, hour: DateTime.Utc): StoredHour["counts"] => {
  const [from, to] = [DateTime.toEpochMillis(hour), DateTime.toEpochMillis(DateTime.add(hour, { hours: 1 }))]
  const counts = new Map<string, StoredHour["counts"][number]>()
  for (const { amountMinor, at, currency, environment, fact } of factsOf(state)) {
    if (at < from || at >= to) continue
    const key = `${environment}/${fact}/${currency ?? ""}`
    const { amountMinor: sum = 0n, count } = counts.get(key) ?? { count: 0 }
    counts.set(key, {
      environment,
      hour,
      fact,
      count: count + 1,
      ...(currency === undefined ? {} : { currency }),
      ...(amountMinor === undefined ? {} : { amountMinor: sum + amountMinor })
    })
  }
  return [...counts.values()]
}

const oldestHourFirst = Order.combineAll([
  Order.mapInput(DateTime.Order, ({ hour }: HourCount) => hour),
  Order.mapInput(Order.String, ({ fact }: HourCount) => fact),
  Order.mapInput(Order.String, ({ currency }: HourCount) => currency ?? "")
])

export const make = (state: State): OverviewLog["Service"] =>
  OverviewLog.of({
    attention: (environment, bounds) => Effect.sync(() => attentionOf(state, environment, bounds)),

    troubledEndpoints: (environment, limit) =>
      Effect.sync(() => [...troubledIn(state, environment)].sort(longestFirst).slice(0, limit)),

    stuckVerifications: (environment, limitOf, limit) =>
      Effect.sync(() => stuckIn(state, environment, before(limitOf)).sort(oldestFirst).slice(0, limit)),

    countHours: (range, limit) =>
      Effect.sync(() => {
        const known = [...state.countedHours].map(([millis, { countedAt }]) => ({
          hour: DateTime.makeUnsafe(millis),
          countedAt
        }))
        const due = hoursDue(known, range, limit)
        for (const hour of due) {
          state.countedHours.set(DateTime.toEpochMillis(hour), { countedAt: range.now, counts: countOf(state, hour) })
        }
        return due.length
      }),

    hours: ({ environment, since }) =>
      Effect.sync(() =>
        [...state.countedHours.values()]
          .flatMap(({ counts }) => counts)
          .filter((count) => count.environment === environment)
          .filter(({ hour }) => DateTime.isGreaterThanOrEqualTo(hour, hourOf(since)))
          .map(({ environment: _, ...count }) => count)
          .sort(oldestHourFirst)
      ),

    countedAt: Effect.sync(() =>
      [...state.countedHours.values()]
        .map(({ countedAt }) => countedAt)
        .sort(DateTime.Order)
        .at(-1)
    )
  })

export const layer: Layer.Layer<OverviewLog, never, MemoryState> = Layer.effect(
  OverviewLog,
  Effect.map(MemoryState, make)
)
