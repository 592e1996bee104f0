import { Duration } from "effect"

/**
 * What QoreID does not document, in one place. Each value is the safest possibility: if it is wrong, a verification
 * ends as `ERROR`, and never as `VERIFIED`. Nothing here was checked against QoreID's sandbox (2026-11-22).
 */

/**
 * The method of `bvn-consent`. The page shows none; one public client sends GET, another POST. The first is tried. If the
 * vendor says that it has no such route, nothing was done, and the other is sent.
 */
export const consentMethods = ["GET", "POST"] as const

/** How long the registry's link works. The page does not say; a shorter time only ends a verification early. */
export const consentTime = Duration.minutes(30)

/**
 * Where the person is once `consentStatus` is true. The page only says "BVN information returned". Read in the same
 * frame as all other answers, under `bvn`. A consent without a person is `Pending`, so it is looked up again.
 */
export const consentedPerson = "bvn"

/** The keys of a virtual NIN's person. Public clients differ. */
export const virtualNinKeys = ["v_nin", "vnin", "nin"] as const

/** States of a check that waits for a registry. Only `complete` is documented, and the webhook that ends the wait. */
export const waitingStates: ReadonlySet<string> = new Set(["pending", "in_progress", "processing"])

/**
 * The message of a path that QoreID does not have, as its framework writes it: with the path. A 404 with any other message is a
 * number that is not found.
 */
export const noSuchRoute = /^Cannot (?:GET|POST) \/\S*$/u
