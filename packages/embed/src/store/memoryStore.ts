import type { HostStore } from "./HostStore.js"
import { lazily } from "./lazily.js"

/**
 * Stores records in memory, for trials and a host's own tests.
 *
 * @example
 * import { memoryStore } from "@surety/embed"
 *
 * const store = memoryStore()
 */
export const memoryStore = (): HostStore => ({
  layer: lazily(
    () => import("@surety/core/memory/MemoryStores"),
    ({ layer }) => layer
  )
})
