import * as MemoryStores from "@surety/core/memory/MemoryStores"
import type { HostStore } from "./HostStore.js"

/** Records in memory, empty at the start and gone with the process: for trials and for a host's own tests. */
export const memoryStore = (): HostStore => ({ layer: MemoryStores.layer })
