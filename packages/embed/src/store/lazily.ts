import { Effect, Layer } from "effect"

/**
 * A layer whose modules are loaded when it is built: importing this package loads no database, and a host pays only for
 * the one that it opens.
 *
 * ```ts
 * const stores = lazily(
 *   () => import("@surety/core/memory/MemoryStores"),
 *   ({ layer }) => layer
 * )
 * ```
 */
export const lazily = <Module, A, E, R>(
  load: () => Promise<Module>,
  layerOf: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), layerOf))
