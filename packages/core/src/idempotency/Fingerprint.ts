import { Schema } from "effect"

/**
 * A keyed hash of a string, usually a validated request: `keyId.mac`, where `mac` is the first 16 bytes of HMAC-SHA256
 * under a server key. With plain hashes, identity numbers in a stolen table could be recovered by brute force.
 */
export const Fingerprint = Schema.String.pipe(Schema.brand("Fingerprint"))
export type Fingerprint = typeof Fingerprint.Type

/** A request's fingerprints, one under each key of the keyring. Store the first, which is under the active key. */
export type Fingerprints = readonly [Fingerprint, ...ReadonlyArray<Fingerprint>]

/** Returns true if `stored` is a fingerprint of the same request under any key of the keyring. */
export const isSameRequest = (stored: Fingerprint, fingerprints: Fingerprints): boolean => fingerprints.includes(stored)
