import { Schema } from "effect"

/**
 * A keyed hash of a validated request: `keyId.mac`, the first 16 bytes of HMAC-SHA256 under a key of the server. From a
 * stolen table of plain hashes, identity numbers could be found by brute force.
 */
export const Fingerprint = Schema.String.pipe(Schema.brand("Fingerprint"))
export type Fingerprint = typeof Fingerprint.Type

/**
 * The fingerprints of one request under every listed key. The first is under the active key; store that one.
 */
export type Fingerprints = readonly [Fingerprint, ...ReadonlyArray<Fingerprint>]

/** Whether a stored fingerprint is that of the same request. */
export const isSameRequest = (stored: Fingerprint, fingerprints: Fingerprints): boolean => fingerprints.includes(stored)
