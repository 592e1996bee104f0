import { DateTime, Effect, Layer, Option } from "effect"
import type { ConsumerLink, LinkedConsumer } from "../../consumer/Consumer.js"
import { ConsumerStore } from "../../consumer/ConsumerStore.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { pageOf } from "../MemoryPages.js"
import { environmentKey, isOf, MemoryState, scopedKey } from "../MemoryState.js"

/** Whether the merchant may name the consumer: by a link, or by a grant that has not ended. */
export const isLinked = (state: MemoryState["Service"], scope: MerchantScope, userId: UserId): boolean =>
  state.consumerLinks.has(scopedKey(scope, userId)) ||
  [...state.grants.values()].some((grant) => grant.status === "ACTIVE" && grant.userId === userId && isOf(scope, grant))

const linkedIn = (
  state: MemoryState["Service"],
  { createdAt, environment, userId }: ConsumerLink
): ReadonlyArray<LinkedConsumer> => {
  const consumer = state.consumers.get(environmentKey(environment, userId))
  return consumer === undefined ? [] : [{ userId, serviceId: consumer.serviceId, linkedAt: createdAt }]
}

export const make = (state: MemoryState["Service"]): ConsumerStore["Service"] => {
  const keep = (link: ConsumerLink): void => {
    const key = scopedKey(link, link.userId)
    if (!state.consumerLinks.has(key)) state.consumerLinks.set(key, link)
  }

  return ConsumerStore.of({
    insert: (consumer, link) =>
      Effect.sync(() => {
        const byId = environmentKey(consumer.environment, consumer.id)
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

    link: (link) => Effect.sync(() => keep(link)),

    unlink: (merchantId, environment, userId) =>
      Effect.sync(() => state.consumerLinks.delete(scopedKey({ merchantId, environment }, userId))),

    listLinked: (merchantId, environment, page) =>
      Effect.sync(() => {
        const { data, nextCursor } = pageOf(
          [...state.consumerLinks.values()].filter((link) => isOf({ merchantId, environment }, link)),
          ({ createdAt, userId }) => ({ at: DateTime.toEpochMillis(createdAt), id: userId }),
          page
        )
        return { data: data.flatMap((link) => linkedIn(state, link)), nextCursor }
      }),

    isLinked: (merchantId, environment, userId) =>
      Effect.sync(() => isLinked(state, { merchantId, environment }, userId)),

    list: (environment, page) =>
      Effect.sync(() =>
        pageOf(
          [...state.consumers.values()].filter((consumer) => consumer.environment === environment),
          ({ createdAt, id }) => ({ at: DateTime.toEpochMillis(createdAt), id }),
          page
        )
      )
  })
}

export const layer: Layer.Layer<ConsumerStore, never, MemoryState> = Layer.effect(
  ConsumerStore,
  Effect.map(MemoryState, make)
)
