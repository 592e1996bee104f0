import { Schema } from "effect"

/**
 * Stands for a validated request without giving it away: `keyId.mac`, an HMAC-SHA256 under a key of the server. A
 * stolen table of plain hashes would give identity numbers away to a brute force.
 */
export const Fingerprint = Schema.String.pipe(Schema.brand("Fingerprint"))
export type Fingerprint = typeof Fingerprint.Type

/**
 * The fingerprints of one request under every key that the server still reads; the first is under the active key and
 * is the one to store.
 */
export type Fingerprints = readonly [Fingerprint, ...ReadonlyArray<Fingerprint>]

/** Whether a stored fingerprint is of the same request. */
export const isSameRequest = (stored: Fingerprint, fingerprints: Fingerprints): boolean => fingerprints.includes(stored)
