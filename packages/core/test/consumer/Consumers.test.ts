import { assert, describe, it } from "@effect/vitest"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as Consumers from "@surety/core/consumer/Consumers"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { UserId } from "@surety/core/Ids"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const stores = Layer.provide(MemoryStores.layer, DeliverySignal.layer)

const servicesOf = <E, R>(store: Layer.Layer<ConsumerStore, E, R>) =>
  Consumers.layer.pipe(Layer.provide(store), Layer.provide(stores), Layer.provide(SecureRandom.layerWebCrypto))

const services = servicesOf(stores)

/** A store that finds no person, as if all were erased. Their identifiers stay taken. */
const unfound = Layer.effect(
  ConsumerStore,
  Effect.map(ConsumerStore, (store) => ({
    ...store,
    findByServiceId: () => Effect.succeedNone,
    list: () => Effect.succeed({ data: [], nextCursor: undefined })
  }))
).pipe(Layer.provide(stores))

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

  it.effect("is refused when its identifier was an erased person's, whom no one finds, and says so", () =>
    Effect.gen(function* () {
      const consumers = yield* Consumers.Consumers
      const { serviceId } = yield* consumers.create({ ...live, id: UserId.make("erased") }, undefined)
      const refusal = yield* Effect.flip(consumers.create({ ...live, id: UserId.make("new"), serviceId }, undefined))
      assert.strictEqual(refusal._tag, "ServiceIdTaken")
      const ensured = yield* Effect.flip(consumers.ensure({ ...live, id: UserId.make("new"), serviceId }, undefined))
      assert.strictEqual(ensured._tag, "ServiceIdTaken")
    }).pipe(Effect.provide(servicesOf(unfound)))
  )
})
