import { Duration } from "effect"

/**
 * What Mono does not document, in one place. Each value is the safest possibility: if it is wrong, a verification ends
 * as `ERROR` or `FAILED`, and never as `VERIFIED`. Nothing here was checked against Mono's sandbox (2026-11-22).
 */

/** How long a session and its code last. If it is shorter at Mono, the code is refused and the person has to begin again. */
export const codeTime = Duration.minutes(10)

/**
 * The statuses by which Mono refuses a code. It does not document which of them a wrong code has, and which an ended
 * session. So each counts as a wrong code, 401 and 403 too: if they counted as a refused key, a guesser would have
 * unlimited tries.
 */
export const refusedCodeStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 422])

/**
 * The message of a number that does not exist, in an answer whose `status` is `failed`. Neither its status nor its words are
 * documented; any other refusal is `request_refused`.
 */
export const notFoundMessage = /\b(?:bvn|nin)\b.*\bnot found\b|\bno record\b.*\bfound\b/iu
export const notFoundStatuses: ReadonlySet<number> = new Set([400, 404])

/**
 * Where a code is sent, best first. Mono requires a choice among the holder's contacts, and the registry sends codes to
 * those that the bank knows. `alternate_phone` is never used: the caller chooses its number.
 */
export const channels = ["phone", "phone_1", "email"] as const
