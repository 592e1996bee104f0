import { Duration } from "effect"

/**
 * Assumptions about QoreID's undocumented behaviour, in one place. Each is the safest choice. If it is wrong, a
 * verification may end as `ERROR` or `FAILED`, but never wrongly as `VERIFIED`. None was checked against QoreID's
 * sandbox (2026-11-22).
 */

/**
 * HTTP methods to try for the route `bvn-consent`, because the documentation names none. One public client sends GET,
 * another POST. The method that worked last is tried first, initially GET. If QoreID reports that the route does not
 * exist, nothing was done and the other method is tried.
 */
export const consentMethods = ["GET", "POST"] as const

/** Assumed lifetime of the registry's link, which is undocumented. Too short a time only ends a verification early. */
export const consentTime = Duration.minutes(30)

/**
 * Key under which a response contains the person once the holder has consented. The documentation only says "BVN
 * information returned". The response is assumed to have the same form as the response to an identity check. A
 * consent without such a result is `Pending`, so it is looked up again.
 */
export const consentedPerson = "bvn"

/** Keys under which a virtual NIN's person may appear. Public clients use different ones. */
export const virtualNinKeys = ["v_nin", "vnin", "nin"] as const

/**
 * States of a check that waits for a registry. QoreID documents only the state `complete` and the webhook that ends the
 * wait.
 */
export const waitingStates: ReadonlySet<string> = new Set(["pending", "in_progress", "processing"])

/**
 * Matches the message of QoreID's web framework for an unknown path, which contains the path. A 404 with QoreID's error
 * and any other message means that the number was not found.
 */
export const noSuchRoute = /^Cannot (?:GET|POST) \/\S*$/u
