import { Schema } from "effect"

/**
 * A keyed hash of a validated request: `keyId.mac`, the first 16 bytes of HMAC-SHA256 under a server key. With plain
 * hashes, identity numbers in a stolen table could be found by brute force.
 */
export const Fingerprint = Schema.String.pipe(Schema.brand("Fingerprint"))
export type Fingerprint = typeof Fingerprint.Type

/** The fingerprints of one request under every listed key. Store the first, which is under the active key. */
export type Fingerprints = readonly [Fingerprint, ...ReadonlyArray<Fingerprint>]

/**
 * Returns true if a stored fingerprint belongs to the same request. It may have been stored under a key that is no longer
 * the active one.
 */
export const isSameRequest = (stored: Fingerprint, fingerprints: Fingerprints): boolean => fingerprints.includes(stored)
