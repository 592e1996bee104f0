import { assert, describe, it } from "@effect/vitest"
import * as Consumers from "@surety/core/consumer/Consumers"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { UserId } from "@surety/core/Ids"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const services = Consumers.layer.pipe(
  Layer.provide(MemoryStores.layer),
  Layer.provide(DeliverySignal.layer),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const live = { environment: "LIVE", phoneVerified: false } as const

describe("A consumer", () => {
  it.effect("keeps the id that the host knows the user by", () =>
    Effect.gen(function* () {
      const consumers = yield* Consumers.Consumers
      const id = UserId.make("user/42")
      const consumer = yield* consumers.create({ ...live, id }, undefined)
      assert.strictEqual(consumer.userId, id)
      assert.deepStrictEqual(yield* consumers.get("LIVE", consumer.serviceId), consumer)
    }).pipe(Effect.provide(services))
  )

  it.effect("is refused when its id or its identifier is taken, and says which", () =>
    Effect.gen(function* () {
      const consumers = yield* Consumers.Consumers
      const id = UserId.make("user/42")
      const { serviceId } = yield* consumers.create({ ...live, id }, undefined)
      const refusal = (given: object) =>
        Effect.map(Effect.flip(consumers.create({ ...live, ...given }, undefined)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refusal({ id }), "UserIdTaken")
      assert.strictEqual(yield* refusal({ id, serviceId }), "ServiceIdTaken")
      assert.strictEqual(yield* refusal({ serviceId }), "ServiceIdTaken")
      const inTest = yield* consumers.create({ ...live, environment: "TEST", id, serviceId }, undefined)
      assert.strictEqual(inTest.userId, id, "the other environment's ids are its own")
    }).pipe(Effect.provide(services))
  )
})
