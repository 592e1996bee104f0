import { Duration } from "effect"

/**
 * What Mono does not document, in one place. Each value is the careful one of those possible: if it is wrong, a verification ends
 * as `ERROR` or `FAILED`, and none is `VERIFIED`. Nothing here was checked against Mono's sandbox (2026-11-22).
 */

/** How long a session and its code last. If it is shorter at Mono, the code is refused and the person has to begin again. */
export const codeTime = Duration.minutes(10)

/**
 * The statuses of a code that Mono refuses: which one a wrong code has, and which one a session that is over, is not documented. So each
 * of these counts as a wrong code, also 401 and 403: taken for a refused key, a guesser would never run out of tries.
 */
export const refusedCodeStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 422])

/**
 * The message of a number that does not exist, in an answer whose `status` is `failed`. Neither its status nor its words are
 * documented; any other refusal is `request_refused`.
 */
export const notFoundMessage = /\b(?:bvn|nin)\b.*\bnot found\b|\bno record\b.*\bfound\b/iu
export const notFoundStatuses: ReadonlySet<number> = new Set([400, 404])

/**
 * Where a code is sent, best first. Mono wants one choice of the holder's contacts, and the codes of the registry go to
 * those that the bank knows. `alternate_phone` is never used: its number is chosen by
 * the caller.
 */
export const channels = ["phone", "phone_1", "email"] as const
