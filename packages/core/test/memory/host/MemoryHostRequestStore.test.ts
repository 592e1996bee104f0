import { assert, it } from "@effect/vitest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import * as MemoryHostRequestStore from "@surety/core/memory/host/MemoryHostRequestStore"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as Fresh from "@surety/testing/FreshIds"
import { newRequest } from "@surety/testing/host/FreshHostRequest"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

const store = Layer.fresh(MemoryHostRequestStore.layer).pipe(Layer.provide(Digest.layerWebCrypto))

it.live("keeps a queue's order over the processes that share its state", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* Layer.build(store), yield* Layer.build(store)]
    const enqueue = (process: typeof one, queue: string | undefined) =>
      Effect.flatMap(HostRequestStore, ({ enqueue }) => enqueue(newRequest({ queue }))).pipe(
        Effect.provideContext(process)
      )
    yield* enqueue(one, undefined)
    const first = yield* enqueue(one, "wallet")
    yield* enqueue(other, "wallet")
    const now = Fresh.later(yield* Fresh.now, 1_000)
    const claimed = yield* Effect.flatMap(HostRequestStore, ({ claim }) =>
      claim({ now, leasedUntil: Fresh.later(now, 60_000), limit: 10 })
    ).pipe(Effect.provideContext(other))
    const keys = claimed.map(({ key }) => key)
    assert.include(keys, first.key)
    assert.lengthOf(keys, 2, "the second one of the queue waits")
  }).pipe(Effect.scoped, Effect.provide(MemoryState.layer))
)
