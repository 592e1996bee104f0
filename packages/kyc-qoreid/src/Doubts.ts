import { Duration } from "effect"

/**
 * Assumptions about QoreID's undocumented behaviour, in one place. Each is the safest choice: if it is wrong, a
 * verification ends as `ERROR` or `FAILED`, never as `VERIFIED`. None was checked against QoreID's sandbox
 * (2026-11-22).
 */

/**
 * Methods of `bvn-consent`. The documentation shows none; one public client sends GET, another POST. GET is tried
 * first. If the vendor reports that the route does not exist, nothing was done and the other method is tried.
 */
export const consentMethods = ["GET", "POST"] as const

/** How long the registry's link is assumed to work. Undocumented; too short a time only ends a verification early. */
export const consentTime = Duration.minutes(30)

/**
 * Key of the person once `consentStatus` is true. The documentation only says "BVN information returned". The person is
 * read from the same frame as in all other responses, under `bvn`. A consent without a person is `Pending`, so it is
 * looked up again.
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
 * Message of QoreID's framework for an unknown path. It quotes the path. A 404 with any other message means that the
 * number was not found.
 */
export const noSuchRoute = /^Cannot (?:GET|POST) \/\S*$/u
