import { field, type HeaderFields } from "../body/HeaderFields.js"
import { bodyFault, type RawBody, toBytes } from "../body/RawBody.js"
import { failure, type WebhookFailure } from "../Verification.js"
import { type Hmac, platformHmac } from "./Hmac.js"
import { isSignedBy } from "./isSignedBy.js"
import { type Secrets, serviceKeys } from "./Secrets.js"

export interface ServiceSignatureInput {
  /** The body exactly as received, before any parsing. */
  readonly body: RawBody
  /** The request's headers, as your framework provides them. */
  readonly headers: HeaderFields
  /** The endpoint's secret as shown, in any format, or several during a rotation. */
  readonly secrets: Secrets
}

/**
 * Checks only `X-Service-Signature`: lower-case hex of HMAC-SHA256 over the raw body (specification, section 6.1).
 *
 * **Not safe against replays.** The signature covers neither id nor time nor topic. Anyone who has seen a delivery can
 * replay its body at any time, under any id and topic. Use it only for senders that send no other signature, and
 * `verify` for all others.
 *
 * Never throws for bad input. Its failures are `missing_headers`, `signature_mismatch`, `body_not_raw` and
 * `invalid_secret`.
 *
 * @example
 * import { verifyServiceSignature } from "@surety/verifier"
 *
 * const headers = { "x-service-signature": "00".repeat(32) }
 * const verified = await verifyServiceSignature({ body: "{}", headers, secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" })
 * console.log(verified.ok ? "genuine" : verified.reason)
 */
export const verifyServiceSignature = (input: ServiceSignatureInput): Promise<{ readonly ok: true } | WebhookFailure> =>
  verifyServiceSignatureWith(platformHmac(), input)

export const verifyServiceSignatureWith = async (
  hmac: Hmac,
  input: ServiceSignatureInput
): Promise<{ readonly ok: true } | WebhookFailure> => {
  const keys = serviceKeys(hmac, input.secrets)
  if (typeof keys === "string") return failure("invalid_secret", keys)
  const body = toBytes(input.body)
  if (body === undefined || body.length === 0) return failure("body_not_raw", bodyFault(input.body))
  const signature = field(input.headers, "x-service-signature")
  if (signature === undefined) return failure("missing_headers", "X-Service-Signature is missing.")
  return (await isSignedBy(keys, { prefix: "", body, encoding: "hex" }, [signature]))
    ? { ok: true }
    : failure(
        "signature_mismatch",
        "X-Service-Signature does not match. Either the secret is another endpoint's, or the body is not byte for byte what was sent, or the delivery is forged."
      )
}
