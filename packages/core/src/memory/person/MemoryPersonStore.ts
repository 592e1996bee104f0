import { type DateTime, Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import type { Consumer } from "../../consumer/Consumer.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { HeldPerson, Remains, RestrictedPerson } from "../../person/HeldPerson.js"
import { PersonStore } from "../../person/PersonStore.js"
import { accountsOf } from "../ledger/MemoryBooks.js"
import { environmentKey, MemoryState } from "../MemoryState.js"
import { controllerIn } from "../merchant/MemoryMerchantStore.js"
import { erase } from "./MemoryErasure.js"
import { isTheirs, openVerificationsOf, pendingRefundsOf } from "./recordsOfPerson.js"

type State = MemoryState["Service"]

/** Returns the consumer with this service id. Undefined if it is unknown or erased. */
export const livingConsumer = (state: State, environment: Environment, serviceId: ConsumerId): Consumer | undefined => {
  const key = state.consumersByServiceId.get(environmentKey(environment, serviceId))
  return key === undefined ? undefined : state.consumers.get(key)
}

const heldOf = (state: State, { environment, externalId, serviceId, userId }: Consumer): HeldPerson => {
  const restrictedAt = state.restrictions.get(environmentKey(environment, userId))
  return {
    environment,
    userId,
    serviceId,
    ...(externalId === undefined ? {} : { externalId }),
    ...(restrictedAt === undefined ? {} : { restrictedAt })
  }
}

const restrict = (
  state: State,
  environment: Environment,
  serviceId: ConsumerId,
  restrictedAt: DateTime.Utc | undefined
): RestrictedPerson | undefined => {
  const consumer = livingConsumer(state, environment, serviceId)
  if (consumer === undefined) return undefined
  const key = environmentKey(environment, consumer.userId)
  const isNew = state.restrictions.has(key) === (restrictedAt === undefined)
  if (isNew && restrictedAt === undefined) state.restrictions.delete(key)
  if (isNew && restrictedAt !== undefined) state.restrictions.set(key, restrictedAt)
  return { person: heldOf(state, consumer), isNew }
}

const erasureOf = (state: State, environment: Environment, serviceId: ConsumerId) => {
  const consumer = livingConsumer(state, environment, serviceId)
  if (consumer === undefined) return undefined
  const person = heldOf(state, consumer)
  const theirs = isTheirs(person)
  return {
    person,
    grants: [...state.grants.values()]
      .filter((grant) => grant.status === "ACTIVE" && theirs(grant))
      .map((grant) => ({ grant, controller: controllerIn(state, grant.merchantId) })),
    requests: [...state.dataRequests.values()].flatMap(({ request }) =>
      request.status === "PENDING" && theirs(request)
        ? [{ request, controller: controllerIn(state, request.merchantId) }]
        : []
    ),
    verifications: openVerificationsOf(state, person),
    pendingRefunds: pendingRefundsOf(state, person)
  }
}

const remainsOf = (state: State, person: HeldPerson): Remains => {
  const theirs = isTheirs(person)
  const count = (records: Iterable<Parameters<typeof theirs>[0]>): number => [...records].filter(theirs).length
  return {
    payments: count(state.payments.values()),
    refunds: count([...state.refunds.values()].map(({ refund }) => refund)),
    accounts: accountsOf(state).filter(
      ({ key }) => key.kind === "WALLET" && key.owner === person.userId && key.environment === person.environment
    ).length,
    receipts: count(state.receipts.values()),
    dataRequests: count([...state.dataRequests.values()].map(({ request }) => request)),
    grants: count(state.grants.values()),
    reads: count(state.identityReads.values()),
    verifications: count([...state.verifications.values()].map(({ verification }) => verification)),
    rightsRequests: count(state.rightsRequests.values())
  }
}

export const make = (
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"]
): PersonStore["Service"] =>
  PersonStore.of({
    find: (environment, serviceId) =>
      Effect.sync(() => {
        const consumer = livingConsumer(state, environment, serviceId)
        return consumer === undefined
          ? Option.fromUndefinedOr(state.erasedPeople.get(environmentKey(environment, serviceId)))
          : Option.some(heldOf(state, consumer))
      }),

    restrict: (environment, serviceId, restrictedAt) =>
      Effect.sync(() => Option.fromUndefinedOr(restrict(state, environment, serviceId, restrictedAt))),

    erasure: (environment, serviceId) =>
      Effect.sync(() => Option.fromUndefinedOr(erasureOf(state, environment, serviceId))),

    erase: (plan) => erase(state, digest, signal, plan),

    remains: (person) => Effect.sync(() => remainsOf(state, person))
  })

export const layer: Layer.Layer<PersonStore, never, MemoryState | Digest.Digest | DeliverySignal> = Layer.effect(
  PersonStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* Digest.Digest, yield* DeliverySignal)
  })
)
