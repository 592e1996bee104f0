import { Effect, Layer, Option, Redacted } from "effect"
import type { Consumer, ConsumerLink, LinkedConsumer } from "../../consumer/Consumer.js"
import { ConsumerStore } from "../../consumer/ConsumerStore.js"
import { type ConsumerChange, changedConsumer, changedDetails } from "../../consumer/changeConsumer.js"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { environmentKey, isOf, MemoryState, scopedKey } from "../MemoryState.js"

/** Returns true if the consumer is linked to the merchant, through a link or a grant stored as `ACTIVE`. */
export const hasLink = (state: MemoryState["Service"], scope: MerchantScope, userId: UserId): boolean =>
  state.consumerLinks.has(scopedKey(scope, userId)) ||
  [...state.grants.values()].some((grant) => grant.status === "ACTIVE" && grant.userId === userId && isOf(scope, grant))

const linkedIn = (
  state: MemoryState["Service"],
  { createdAt, environment, userId }: ConsumerLink
): ReadonlyArray<LinkedConsumer> => {
  const consumer = state.consumers.get(environmentKey(environment, userId))
  return consumer === undefined ? [] : [{ userId, serviceId: consumer.serviceId, linkedAt: createdAt }]
}

const hasOnlyGrants = (
  state: MemoryState["Service"],
  { environment, userId }: Consumer,
  grants: Parameters<ConsumerStore["Service"]["change"]>[3]
): boolean => {
  const active = [...state.grants.values()].filter(
    (grant) => grant.status === "ACTIVE" && grant.userId === userId && grant.environment === environment
  )
  return active.length === grants.length && active.every(({ id }) => grants.some((grant) => grant.id === id))
}

const lowerCase = (text: Redacted.Redacted<string> | undefined): string | undefined =>
  text && Redacted.value(text).toLowerCase()

const detailsOf = ({ country, displayName, email, externalId, phoneVerified }: Consumer): ConsumerChange => ({
  country: country ?? null,
  displayName: displayName ?? null,
  email: email ?? null,
  externalId: externalId ?? null,
  phoneVerified
})

export const make = (state: MemoryState["Service"], signal: DeliverySignal["Service"]): ConsumerStore["Service"] => {
  const keep = (link: ConsumerLink): "linked" | "linked_before" => {
    const key = scopedKey(link, link.userId)
    if (state.consumerLinks.has(key)) return "linked_before"
    state.consumerLinks.set(key, link)
    return "linked"
  }

  return ConsumerStore.of({
    insert: (consumer, link) =>
      Effect.sync(() => {
        const byId = environmentKey(consumer.environment, consumer.userId)
        const byServiceId = environmentKey(consumer.environment, consumer.serviceId)
        if (state.consumers.has(byId) || state.consumersByServiceId.has(byServiceId)) return false
        state.consumers.set(byId, consumer)
        state.consumersByServiceId.set(byServiceId, byId)
        if (link !== undefined) keep(link)
        return true
      }),

    findByServiceId: (environment, serviceId) =>
      Effect.sync(() => {
        const key = state.consumersByServiceId.get(environmentKey(environment, serviceId))
        return key === undefined ? Option.none() : Option.fromUndefinedOr(state.consumers.get(key))
      }),

    link: (link) =>
      Effect.sync(() =>
        state.consumers.has(environmentKey(link.environment, link.userId)) ? keep(link) : "person_unknown"
      ),

    unlink: (merchantId, environment, userId) =>
      Effect.sync(() => state.consumerLinks.delete(scopedKey({ merchantId, environment }, userId))),

    listLinked: (merchantId, environment, page) =>
      listRecords(
        () => state.consumerLinks.values(),
        {
          where: matches<ConsumerLink>({ merchantId, environment }),
          position: ({ createdAt, userId }) => positionAt(createdAt, userId)
        },
        page
      ).pipe(
        Effect.map(({ data, nextCursor }) => ({ data: data.flatMap((link) => linkedIn(state, link)), nextCursor }))
      ),

    isLinked: (merchantId, environment, userId) =>
      Effect.sync(() => hasLink(state, { merchantId, environment }, userId)),

    list: (environment, page, { email, externalId, userId } = {}) => {
      const isWanted = matches<Consumer>({ environment, externalId, userId })
      const hasEmail = (consumer: Consumer) => email === undefined || lowerCase(consumer.email) === lowerCase(email)
      return listRecords(
        () => state.consumers.values(),
        {
          where: (consumer) => isWanted(consumer) && hasEmail(consumer),
          position: ({ createdAt, userId }) => positionAt(createdAt, userId)
        },
        page
      )
    },

    change: (before, after, events, grants) =>
      Effect.suspend(() => {
        const key = environmentKey(before.environment, before.userId)
        const stored = state.consumers.get(key)
        if (stored === undefined || changedDetails(stored, before).length > 0) return Effect.succeed(false)
        if (!hasOnlyGrants(state, stored, grants)) return Effect.succeed(false)
        for (const event of events) checkEvent(state, event)
        state.consumers.set(key, changedConsumer(stored, detailsOf(after)))
        const deliveries = events.reduce((sum, event) => sum + append(state, event, before.serviceId), 0)
        return Effect.as(notifyOf(signal, deliveries), true)
      })
  })
}

export const layer: Layer.Layer<ConsumerStore, never, MemoryState | DeliverySignal> = Layer.effect(
  ConsumerStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* DeliverySignal)
  })
)
