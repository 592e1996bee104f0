import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { layerDigest } from "@surety/testing/simulation/host/SimulatedCrypto"
import { watchClients } from "@surety/testing/simulation/invariants/ClientInvariants"
import { World } from "@surety/testing/simulation/world/World"
import { Effect, Layer } from "effect"

const newWorld = () => new World({ seed: 1, calm: new Set(), records: false })

const twoEvents = (world: World) =>
  Effect.gen(function* () {
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const now = yield* Fresh.now
    return { scope, events: [yield* FreshEvent.make(scope, now), yield* FreshEvent.make(scope, now)] as const }
  }).pipe(
    Effect.provide(
      MemoryStores.layerHashing.pipe(
        Layer.provideMerge(Layer.merge(Layer.succeed(MemoryState.MemoryState, world.state), DeliverySignal.layer)),
        Layer.provide(layerDigest)
      )
    )
  )

it.effect.each(["all", "the first alone", "none"] as const)(
  "finds nothing if polling returned %s of the events",
  (which) =>
    Effect.gen(function* () {
      const world = newWorld()
      const book = watchClients(world)
      const { events, scope } = yield* twoEvents(world)
      const seen = { all: events, "the first alone": events.slice(0, 1), none: [] }[which]
      for (const event of seen) book.followed(scope, event)
      world.checkRest()
      assert.isUndefined(world.violation)
    })
)

it.effect.each(["repeats the last event", "adds an event that is not stored", "skips the first event"] as const)(
  "finds that polling %s",
  (how) =>
    Effect.gen(function* () {
      const world = newWorld()
      const book = watchClients(world)
      const { events, scope } = yield* twoEvents(world)
      const [first, last] = events
      const invented = { ...last, id: Fresh.eventId(yield* Fresh.now) }
      const seen = {
        "repeats the last event": [first, last, last],
        "adds an event that is not stored": [first, last, invented],
        "skips the first event": [last]
      }[how]
      for (const event of seen) book.followed(scope, event)
      world.checkRest()
      assert.strictEqual(world.violation?.invariant, "told_iff_committed")
    })
)
