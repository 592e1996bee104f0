import { assert } from "@effect/vitest"
import type { Consumer, ConsumerLink } from "@surety/core/consumer/Consumer"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect, Redacted } from "effect"
import * as Fresh from "../FreshIds.js"

export const unstored = Effect.fnUntraced(function* (environment: Environment, at?: DateTime.Utc) {
  const createdAt = at ?? (yield* Fresh.now)
  const consumer: Consumer = {
    userId: Fresh.userId(createdAt),
    environment,
    serviceId: yield* Fresh.withRandom(ConsumerId.next),
    displayName: Redacted.make("Ada Obi"),
    country: "NG",
    email: Redacted.make("ada@example.com"),
    phoneVerified: true,
    createdAt
  }
  return consumer
})

export const linkOf = ({ merchantId }: MerchantScope, { createdAt, environment, userId }: Consumer): ConsumerLink => ({
  merchantId,
  environment,
  userId,
  createdAt
})

export const linkedTo = Effect.fnUntraced(function* (scope: MerchantScope) {
  const consumer = yield* unstored(scope.environment)
  const store = yield* ConsumerStore
  assert.isTrue(yield* store.insert(consumer, linkOf(scope, consumer)), "a consumer with new identifiers is stored")
  return consumer
})
