import { assert } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { DateTime, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const paced = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: start, maxPerSecond: 3 })
  yield* Effect.forEach(Array.from({ length: 10 }), () => FreshEvent.make(scope, start))
  return { endpoint, scope, start, after: (millis: number) => Fresh.later(start, FreshEvent.minute + millis) }
})

export const holdsRate = law(
  "takes no more of an endpoint within any second than its rate, however many senders ask",
  Effect.gen(function* () {
    const { after } = yield* paced
    const first = yield* Effect.replicateEffect(FreshEvent.claim(after(0), { limit: 2 }), 5, {
      concurrency: "unbounded"
    })
    assert.lengthOf(first.flat(), 3)
    assert.isEmpty(yield* FreshEvent.claim(after(999)))
    assert.lengthOf(yield* FreshEvent.claim(after(1_000), { limit: 1 }), 1)
    assert.lengthOf(yield* FreshEvent.claim(after(1_500)), 2)
    assert.isEmpty(yield* FreshEvent.claim(after(1_900)))
    assert.lengthOf(yield* FreshEvent.claim(after(2_000)), 1, "the place of the one that was taken a second ago")
    assert.isEmpty(yield* FreshEvent.claim(after(2_499)))
    assert.lengthOf(yield* FreshEvent.claim(after(2_500)), 2)
  })
)

export const countsWhatWasGivenBack = law(
  "counts in an endpoint's rate also what was claimed and released",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { after } = yield* paced
    yield* queue.release(yield* FreshEvent.claim(after(0)))
    assert.isEmpty(yield* FreshEvent.claim(after(500)))
    assert.lengthOf(yield* FreshEvent.claim(after(1_000)), 3)
  })
)

export const rateIsItsOwn = law(
  "holds up no other endpoint by an endpoint's rate, and follows a change of it",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const { after, endpoint, scope, start } = yield* paced
    const other = yield* FreshEndpoint.make(scope, { at: start })
    yield* Effect.forEach(Array.from({ length: 5 }), () => FreshEvent.make(scope, Fresh.later(start, 1)))
    const claimed = yield* FreshEvent.claim(after(0))
    assert.lengthOf(
      claimed.filter(({ delivery }) => delivery.endpointId === other.id),
      5
    )
    const [due] = claimed.filter(({ delivery }) => delivery.endpointId === endpoint.id)
    assert.strictEqual(due?.endpoint.maxPerSecond, 3, "a sender sees it")
    const { maxPerSecond: _, ...rest } = endpoint
    const unlimited = { ...rest, updatedAt: DateTime.add(endpoint.updatedAt, { milliseconds: 1 }) }
    assert.isTrue(yield* store.replace(endpoint, unlimited))
    assert.lengthOf(yield* FreshEvent.claim(after(1)), 12, "all of the rest")
    const slower = { ...unlimited, maxPerSecond: 1, updatedAt: DateTime.add(start, { milliseconds: 9 }) }
    assert.isTrue(yield* store.replace(unlimited, slower))
    assert.strictEqual(Option.getOrThrow(yield* store.find(scope.merchantId, endpoint.id)).maxPerSecond, 1)
  })
)

export const laws = [holdsRate, countsWhatWasGivenBack, rateIsItsOwn]
