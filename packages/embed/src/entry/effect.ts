/**
 * Same as `@surety/embed`, plus `kycProviderLayer`, for a host that uses Effect. Calls run on the host's own copies of
 * `effect` and `@surety/core`. The host can therefore pass in its own layers, such as a store.
 *
 * ```ts
 * import * as MemoryStores from "@surety/core/memory/MemoryStores"
 * import { createSurety } from "@surety/embed/effect"
 *
 * const surety = await createSurety({ store: { layer: MemoryStores.layer }, secretsKey })
 * ```
 */

// Must come first: an older Node is rejected before any code uses a feature it lacks.
import "./checkNode.js"

// For `KycProviderLaws` of `@surety/testing`, which takes the provider as a layer.
export { layer as kycProviderLayer } from "../host/HostKycProvider.js"

export * from "../index.js"
