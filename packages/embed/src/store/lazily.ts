import { Effect, Layer } from "effect"

/**
 * Builds a layer whose modules load when it is built. Importing this package loads no database, and a host pays only
 * for the one it opens.
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
