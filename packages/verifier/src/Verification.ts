import type { HeaderFields } from "./body/HeaderFields.js"
import type { RawBody } from "./body/RawBody.js"
import type { Secrets } from "./signature/Secrets.js"

export interface VerifyInput {
  /** The body exactly as received, before any parsing. */
  readonly body: RawBody
  /** The request's headers, as your framework provides them. */
  readonly headers: HeaderFields
  /** The endpoint's secret (`whsec_…`), or several during a rotation. One match is enough. */
  readonly secrets: Secrets
  /**
   * Maximum difference between the delivery's time and now, in seconds, in either direction. Default 300. `Infinity`
   * disables replay protection.
   */
  readonly toleranceSeconds?: number | undefined
  /** The current time, for tests. Default: the system clock. */
  readonly now?: Date | undefined
}

/**
 * Why a delivery was rejected.
 *
 * - `missing_headers`: `webhook-id`, `webhook-timestamp`, `webhook-signature` or `X-Service-Event` is missing or empty.
 *   `verifySignature` does not require `X-Service-Event`. In `verifyServiceSignature`, `X-Service-Signature` is missing
 *   or empty.
 * - `invalid_timestamp`: `webhook-timestamp` is not a number of seconds with at most 12 digits.
 * - `signature_mismatch`: no signature matches any of the secrets.
 * - `timestamp_too_old`, `timestamp_too_new`: the signature is valid, but the time is outside the tolerance.
 * - `event_id_mismatch`: `X-Service-Event-Id` is present and differs from the signed `webhook-id`.
 * - `topic_mismatch`: `X-Service-Event` names a topic that the signed payload contradicts.
 * - `invalid_json`: the body is signed but not JSON, or has deeper nesting or more values than any event. Also if the
 *   topic is known and the payload is not an object.
 * - `body_not_raw`: the body is missing, empty or parsed. In `createHandler`, also if the body's stream failed.
 * - `invalid_secret`: your code passed no secret, or a malformed one.
 */
export type FailureReason =
  | "missing_headers"
  | "invalid_timestamp"
  | "signature_mismatch"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "event_id_mismatch"
  | "topic_mismatch"
  | "invalid_json"
  | "body_not_raw"
  | "invalid_secret"

export interface WebhookFailure {
  readonly ok: false
  readonly reason: FailureReason
  /** For your log: what is wrong, often with a likely cause or fix. Never contains a secret or a part of the body. */
  readonly message: string
}

export const failure = (reason: FailureReason, message: string): WebhookFailure => ({ ok: false, reason, message })
