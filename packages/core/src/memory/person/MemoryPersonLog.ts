import { DateTime, Effect, Layer, Option } from "effect"
import type { IdentityRead } from "../../consent/read/IdentityRead.js"
import type { Consumer } from "../../consumer/Consumer.js"
import type { Holdings, SentEvent } from "../../person/Holdings.js"
import { PersonLog } from "../../person/PersonLog.js"
import type { Refund } from "../../refund/Refund.js"
import { accountsOf } from "../ledger/MemoryBooks.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { environmentKey, MemoryState } from "../MemoryState.js"
import { livingConsumer } from "./MemoryPersonStore.js"
import { isTheirs, reportsChangeOf } from "./recordsOfPerson.js"

type State = MemoryState["Service"]

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

const messagesOf = (state: State, consumer: Consumer, causes: ReadonlySet<string>): ReadonlyArray<SentEvent> => {
  const isChange = reportsChangeOf(consumer)
  return [...state.events.values()]
    .filter((stored) => (causes.has(stored.cause) || isChange(stored)) && stored.event.testFor === undefined)
    .map(({ event }) => event)
    .sort(byId)
    .map(({ body, id, merchantId, occurredAt, topic }) => ({
      eventId: id,
      merchantId,
      topic,
      body,
      occurredAt,
      delivered: [...state.deliveries.values()].filter(
        ({ delivery }) => delivery.eventId === id && delivery.status === "DELIVERED"
      ).length
    }))
}

const holdingsOf = (state: State, consumer: Consumer, atMost: number | undefined): Holdings => {
  const { environment, userId } = consumer
  const theirs = isTheirs({ environment, userId })
  const newest = <A>(records: ReadonlyArray<A>): ReadonlyArray<A> =>
    atMost === undefined ? records : records.slice(-atMost)
  const dataRequests = newest(
    [...state.dataRequests.values()]
      .map(({ request }) => request)
      .filter(theirs)
      .sort(byId)
  )
  const grants = newest([...state.grants.values()].filter(theirs).sort(byId))
  const payments = newest(
    [...state.payments.values()].filter(theirs).sort((a, b) => DateTime.Order(a.createdAt, b.createdAt) || byId(a, b))
  )
  const isTold = (refund: Refund): boolean =>
    payments.some(({ id, merchantId }) => id === refund.paymentId && merchantId === refund.merchantId)
  const refunds = newest(
    [...state.refunds.values()]
      .map(({ refund }) => refund)
      .filter((refund) => theirs(refund) && isTold(refund))
      .sort(byId)
  )
  const verifications = newest(
    [...state.verifications.values()]
      .map(({ verification }) => verification)
      .filter(theirs)
      .sort(byId)
  )
  const restrictedAt = state.restrictions.get(environmentKey(environment, userId))
  return {
    consumer,
    ...(restrictedAt === undefined ? {} : { restrictedAt }),
    links: newest([...state.consumerLinks.values()].filter(theirs)),
    dataRequests,
    grants,
    askingBlocks: newest([...state.askingBlocks.values()].filter(theirs)),
    reads: newest([...state.identityReads.values()].filter(theirs).sort(byId)),
    receipts: newest([...state.receipts.values()].filter(theirs).sort(byId)),
    verifications,
    evidence: newest([...state.kycEvidence.values()].filter(theirs)),
    payments,
    refunds,
    wallets: accountsOf(state).flatMap(({ balanceMinor, key }) =>
      key.kind === "WALLET" && key.owner === userId && key.environment === environment
        ? [{ currency: key.currency, minor: balanceMinor }]
        : []
    ),
    messages: newest(
      messagesOf(
        state,
        consumer,
        new Set<string>([...dataRequests, ...grants, ...payments, ...refunds, ...verifications].map(({ id }) => id))
      )
    ),
    rightsRequests: newest([...state.rightsRequests.values()].filter(theirs).sort(byId))
  }
}

export const layer: Layer.Layer<PersonLog, never, MemoryState> = Layer.effect(
  PersonLog,
  Effect.map(MemoryState, (state) =>
    PersonLog.of({
      holdings: (environment, serviceId, atMost) =>
        Effect.sync(() =>
          Option.map(Option.fromUndefinedOr(livingConsumer(state, environment, serviceId)), (consumer) =>
            holdingsOf(state, consumer, atMost)
          )
        ),

      reads: ({ apiKeyId, environment, merchantId, since, until }, page) =>
        listRecords(
          () => state.identityReads.values(),
          {
            where: (read) =>
              matches<IdentityRead>({ environment, merchantId, apiKeyId })(read) &&
              DateTime.isGreaterThanOrEqualTo(read.readAt, since) &&
              (until === undefined || DateTime.isLessThan(read.readAt, until)),
            position: ({ id, readAt }) => positionAt(readAt, id)
          },
          page
        )
    })
  )
)
