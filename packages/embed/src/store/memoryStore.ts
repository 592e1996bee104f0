import * as MemoryStores from "@surety/core/memory/MemoryStores"
import type { HostStore } from "./HostStore.js"

/** Keeps records in memory, for trials and a host's own tests. */
export const memoryStore = (): HostStore => ({ layer: MemoryStores.layer })
