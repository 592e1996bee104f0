import { Effect, Layer, Option } from "effect"
import type { Consumer, ConsumerLink, LinkedConsumer } from "../../consumer/Consumer.js"
import { ConsumerStore } from "../../consumer/ConsumerStore.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { environmentKey, isOf, MemoryState, scopedKey } from "../MemoryState.js"

/** Whether the consumer is linked: by a link, or by a grant that has not ended. */
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

export const make = (state: MemoryState["Service"]): ConsumerStore["Service"] => {
  const keep = (link: ConsumerLink): void => {
    const key = scopedKey(link, link.userId)
    requireThat(state.consumers.has(environmentKey(link.environment, link.userId)), "a link's person exists", key)
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

    list: (environment, page) =>
      listRecords(
        () => state.consumers.values(),
        {
          where: matches<Consumer>({ environment }),
          position: ({ createdAt, id }) => positionAt(createdAt, id)
        },
        page
      )
  })
}

export const layer: Layer.Layer<ConsumerStore, never, MemoryState> = Layer.effect(
  ConsumerStore,
  Effect.map(MemoryState, make)
)
