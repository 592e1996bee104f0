import type { KycVendor } from "./KycVendor.js"

/** Every KYC vendor that the server can verify with in LIVE: a line each. */
export const kycVendors: ReadonlyArray<KycVendor> = []
