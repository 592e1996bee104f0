import { Duration } from "effect"

/**
 * Assumptions about Mono's undocumented behaviour, in one place. Each is the safest choice. If it is wrong, a
 * verification may end as `ERROR` or `FAILED`, but never wrongly as `VERIFIED`. None was checked against Mono's sandbox
 * (2026-11-22).
 */

/**
 * Assumed lifetime of a session and its code. If Mono's limit is shorter, the code is refused and the person needs a
 * new verification.
 */
export const codeTime = Duration.minutes(10)

/**
 * Statuses with which Mono refuses a code. Mono does not document which mean a wrong code and which an ended session.
 * Each counts as a wrong code, even 401 and 403. If those two counted as a refusal of our secret key, a guesser would
 * have unlimited attempts.
 */
export const refusedCodeStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 422])

/**
 * Matches the message for a number that does not exist. A match counts only with an HTTP status in `notFoundStatuses`
 * and a `failed` body. Neither the HTTP status nor the wording is documented. Any other `failed` response with 400, 404
 * or 422 means `request_refused`.
 */
export const notFoundMessage = /\b(?:bvn|nin)\b.*\bnot found\b|\bno record\b.*\bfound\b/iu
export const notFoundStatuses: ReadonlySet<number> = new Set([400, 404])

/**
 * Contacts to which a code may be sent, in order of preference. Mono requires a choice among the holder's contacts.
 * `alternate_phone` is never used, because the caller would choose its number.
 */
export const channels = ["phone", "phone_1", "email"] as const
