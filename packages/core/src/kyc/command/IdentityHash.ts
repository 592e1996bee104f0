import { Schema } from "effect"

/**
 * Stands for an identity number (a BVN, a NIN, a phone) without giving it away: `keyId.mac`, an HMAC-SHA256 under a key
 * of the server. A plain hash of eleven digits is undone in seconds.
 */
export const IdentityHash = Schema.String.pipe(Schema.brand("IdentityHash"))
export type IdentityHash = typeof IdentityHash.Type
