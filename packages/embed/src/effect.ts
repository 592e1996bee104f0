/**
 * The same as `@surety/embed`, for a host that uses Effect: its calls work on the host's own copies of `effect` and
 * `@surety/core`, so a host's layers, such as a store of its own, can be given to it.
 */

export { layer as kycProviderLayer } from "./host/HostKycProvider.js"
export * from "./index.js"
