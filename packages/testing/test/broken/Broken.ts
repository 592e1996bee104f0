import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import type { Page, PageRequest } from "@surety/core/Page"
import type { StoreError } from "@surety/core/StoreError"
import type { StorePorts } from "@surety/core/StorePorts"
import type { Law } from "@surety/testing/Law"
import type { Context } from "effect"
import { Effect, Layer } from "effect"

export type Everything = StorePorts | DeliverySignal.DeliverySignal

export type State = MemoryState.MemoryState["Service"]
export type Signal = DeliverySignal.DeliverySignal["Service"]

/** A store that is wrong in one way, and the laws that must fail on it. */
export interface Broken {
  readonly how: string
  readonly layer: Layer.Layer<Everything>
  readonly caughtBy: ReadonlyArray<Law<Everything>>
}

const sound = MemoryStores.layerOver.pipe(Layer.provideMerge(Layer.merge(MemoryState.layer, DeliverySignal.layer)))

/** Every port in memory, with some verbs of one of them replaced. */
export const broken = <I extends Everything, S extends object>(
  port: Context.Key<I, S>,
  how: string,
  wrongly: (sound: S, state: State, signal: Signal) => Partial<S>,
  caughtBy: ReadonlyArray<Law<Everything>>
): Broken => {
  const service: Effect.Effect<S, never, Everything | MemoryState.MemoryState> = Effect.gen(function* () {
    const intact = yield* port
    const state = yield* MemoryState.MemoryState
    const signal = yield* DeliverySignal.DeliverySignal
    return { ...intact, ...wrongly(intact, state, signal) }
  })
  return { how, layer: Layer.provideMerge(Layer.effect(port, service), sound), caughtBy }
}

/** A list whose cursor counts rows, so that an added row makes another one be shown twice. */
export const countingPages =
  <A>(list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>) =>
  ({ cursor, limit }: PageRequest): Effect.Effect<Page<A>, StoreError> =>
    Effect.map(list({ limit: 1_000, cursor: undefined }), ({ data }) => {
      const start = Number(cursor ?? 0)
      const end = start + limit
      return { data: data.slice(start, end), nextCursor: data.length > end ? String(end) : undefined }
    })

/** Looks first and acts later, when others may have acted: what a store without transactions does. */
export const lookThenAct = <A, B, E>(look: () => A, act: (seen: A) => Effect.Effect<B, E>): Effect.Effect<B, E> =>
  Effect.flatMap(Effect.sync(look), (seen) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => act(seen))
    )
  )
