import { Effect, Layer } from "effect"

/**
 * Defers loading a layer's modules until the layer is built. Importing this package therefore loads no database
 * modules. Opening a store loads only its own modules.
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
