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

/** A store with one fault, and the laws that must fail on it. */
export interface Broken {
  readonly how: string
  readonly layer: Layer.Layer<Everything>
  /** The fault alone, without the stores of `layer`, to apply to other stores. */
  readonly over: Layer.Layer<never, never, Everything | MemoryState.MemoryState>
  readonly caughtBy: ReadonlyArray<Law<Everything>>
}

const sound = MemoryStores.layerOver.pipe(Layer.provideMerge(Layer.merge(MemoryState.layer, DeliverySignal.layer)))

/** Builds a fault: in-memory stores with some operations of one port replaced by those from `wrongly`. */
export const broken = <I extends Everything, S extends object>(
  port: Context.Key<I, S>,
  how: string,
  caughtBy: ReadonlyArray<Law<Everything>>,
  wrongly: (sound: S, state: State, signal: Signal) => Partial<S>
): Broken => {
  const service: Effect.Effect<S, never, Everything | MemoryState.MemoryState> = Effect.gen(function* () {
    const intact = yield* port
    const state = yield* MemoryState.MemoryState
    const signal = yield* DeliverySignal.DeliverySignal
    return { ...intact, ...wrongly(intact, state, signal) }
  })
  const over = Layer.effect(port, service)
  return { how, layer: Layer.provideMerge(over, sound), over, caughtBy }
}

/**
 * Builds the faulty store from a function that replaces the sound operation. The operation's name, the description and
 * the laws that must fail are already fixed.
 */
export type Row<V, S = unknown> = (fault: (verb: V, state: State, sound: S) => V) => Broken

/** Returns a function that builds a `Row` for an operation of the port. */
export const faultsOf =
  <I extends Everything, S extends object>(port: Context.Key<I, S>) =>
  <K extends keyof S>(verb: K, how: string, ...caughtBy: ReadonlyArray<Law<Everything>>): Row<S[K], S> =>
  (fault) =>
    broken(port, how, caughtBy, (sound, state) => {
      const faulty = { ...sound }
      faulty[verb] = fault(sound[verb], state, sound)
      return faulty
    })

type Verb<Args extends ReadonlyArray<unknown> | [], A, E> = (...args: Args) => Effect.Effect<A, E>

/** Builds a fault that replaces the operation. */
export const instead = <V, S>(row: Row<V, S>, fault: (verb: V, state: State, sound: S) => V): Broken => row(fault)

/** Builds a fault that calls the sound operation with other arguments, for example without a filter or a fence. */
export const asking = <Args extends ReadonlyArray<unknown> | [], A, E>(
  row: Row<Verb<Args, A, E>>,
  change: (args: Args, state: State) => NoInfer<Args>
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.suspend(() => verb(...change(args, state)))
  )

/** Builds a fault that changes the sound operation's result, for example its order or its number of rows. */
export const answering = <Args extends ReadonlyArray<unknown> | [], A, E>(
  row: Row<Verb<Args, A, E>>,
  change: (answer: A, state: State, args: Args) => A
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.map(verb(...args), (answer) => change(answer, state, args))
  )

/** Builds a fault that changes the state before the sound operation reads it. */
export const before = <Args extends ReadonlyArray<unknown> | [], A, E>(
  row: Row<Verb<Args, A, E>>,
  change: (state: State, args: Args) => unknown
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.suspend(() => {
          change(state, args)
          return verb(...args)
        })
  )

/** Builds a fault that changes the state after the sound operation has succeeded. */
export const after = <Args extends ReadonlyArray<unknown> | [], A, E>(
  row: Row<Verb<Args, A, E>>,
  change: (state: State, answer: A, args: Args) => unknown
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.tap(verb(...args), (answer) => Effect.sync(() => change(state, answer, args)))
  )

/** Like `after`, but `change` receives the earlier result of `look` instead of the operation's result. */
export const around = <Args extends ReadonlyArray<unknown> | [], A, E, Seen>(
  row: Row<Verb<Args, A, E>>,
  look: (state: State, args: Args) => Seen,
  change: (seen: Seen, state: State, args: Args) => unknown
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.suspend(() => {
          const seen = look(state, args)
          return Effect.tap(verb(...args), () => Effect.sync(() => change(seen, state, args)))
        })
  )

/** Builds a fault that leaves a write behind after the sound operation has failed. */
export const leaving = <Args extends ReadonlyArray<unknown> | [], A, E>(
  row: Row<Verb<Args, A, E>>,
  change: (state: State, args: Args) => unknown
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        Effect.onError(verb(...args), () => Effect.sync(() => change(state, args)))
  )

/**
 * Builds a fault that reads, lets other fibers write, and only then writes, like a store without transactions.
 */
export const lookingFirst = <Args extends ReadonlyArray<unknown> | [], A, E, Seen>(
  row: Row<Verb<Args, A, E>>,
  look: (state: State, args: Args) => Seen,
  act: (seen: Seen, verb: Verb<Args, A, E>, args: Args, state: State) => Effect.Effect<A, E>
): Broken =>
  row(
    (verb, state) =>
      (...args) =>
        lookThenAct(
          () => look(state, args),
          (seen) => act(seen, verb, args, state)
        )
  )

type Deciding<Lookup, Snapshot, Decision, A, E> = Verb<[lookup: Lookup, decide: (snapshot: Snapshot) => Decision], A, E>

/** Builds a fault that passes `decide` a snapshot that differs from the stored records. */
export const seeing = <Lookup, Snapshot, Decision, A, E>(
  row: Row<Deciding<Lookup, Snapshot, Decision, A, E>>,
  change: (snapshot: Snapshot, state: State, lookup: Lookup) => Snapshot
): Broken =>
  row((verb, state) => (lookup, decide) => verb(lookup, (snapshot) => decide(change(snapshot, state, lookup))))

/** Builds a fault that commits a changed decision. */
export const deciding = <Lookup, Snapshot, Decision, A, E>(
  row: Row<Deciding<Lookup, Snapshot, Decision, A, E>>,
  change: (decision: Decision, state: State) => Decision
): Broken => row((verb, state) => (lookup, decide) => verb(lookup, (snapshot) => change(decide(snapshot), state)))

/** Runs `look`, lets other fibers write, and then runs `act` on the stale result. */
export const lookThenAct = <A, B, E>(look: () => A, act: (seen: A) => Effect.Effect<B, E>): Effect.Effect<B, E> =>
  Effect.flatMap(Effect.sync(look), (seen) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => act(seen))
    )
  )

/**
 * Wraps a list operation so that its cursor is a row offset. A row inserted between two pages can make another row
 * appear twice.
 */
export const countingPages =
  <A>(list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>) =>
  ({ cursor, limit }: PageRequest): Effect.Effect<Page<A>, StoreError> =>
    Effect.map(list({ limit: 1_000, cursor: undefined }), ({ data }) => {
      const start = Number(cursor ?? 0)
      const end = start + limit
      return { data: data.slice(start, end), nextCursor: data.length > end ? String(end) : undefined }
    })

export const edit = <K, V>(records: Map<K, V>, key: K, change: (stored: V) => V): void => {
  const stored = records.get(key)
  if (stored !== undefined) records.set(key, change(stored))
}

export const editAll = <K, V>(records: Map<K, V>, change: (stored: V) => V): void => {
  for (const [key, stored] of records) records.set(key, change(stored))
}
