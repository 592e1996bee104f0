/**
 * The same as `@surety/embed`, for a host that uses Effect: its calls work on the host's own copies of `effect` and
 * `@surety/core`, so a host's layers, such as a store of its own, can be given to it.
 *
 * ```ts
 * import * as MemoryStores from "@surety/core/memory/MemoryStores"
 * import { createSurety } from "@surety/embed/effect"
 *
 * const surety = await createSurety({ store: { layer: MemoryStores.layer }, secretsKey })
 * ```
 */
// For the laws of KYC providers, which run on layers.
export { layer as kycProviderLayer } from "../host/HostKycProvider.js"

/** Every export of `@surety/embed`. */
export * from "../index.js"
