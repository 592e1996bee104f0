import { field } from "../body/HeaderFields.js"
import { bodyFault, toBytes } from "../body/RawBody.js"
import { failure, type VerifyInput, type WebhookFailure } from "../Verification.js"
import { type Hmac, platformHmac } from "./Hmac.js"
import { isSignedBy } from "./isSignedBy.js"
import { standardKeys } from "./Secrets.js"

/** A delivery with a valid signature and time. Its body has not been parsed. */
export interface SignedDelivery {
  readonly ok: true
  /** The event's id: the same in every attempt and at every endpoint. */
  readonly id: string
  /** When this attempt was signed, to the second. */
  readonly timestamp: Date
  readonly body: Uint8Array
}

/**
 * Checks the signature, the time and the event id, but does not parse the body. This is the first half of `verify`, for
 * receivers that queue raw deliveries and parse them later.
 *
 * Never throws for bad input.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const verifySignature = (input: VerifyInput): Promise<SignedDelivery | WebhookFailure> =>
  verifySignatureWith(platformHmac(), input)

export const verifySignatureWith = async (hmac: Hmac, input: VerifyInput): Promise<SignedDelivery | WebhookFailure> => {
  const keys = standardKeys(hmac, input.secrets)
  if (typeof keys === "string") return failure("invalid_secret", keys)
  const body = toBytes(input.body)
  if (body === undefined || body.length === 0) return failure("body_not_raw", bodyFault(input.body))

  const id = field(input.headers, "webhook-id")
  const timestamp = field(input.headers, "webhook-timestamp")
  const signatures = field(input.headers, "webhook-signature")
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    return failure(
      "missing_headers",
      "webhook-id, webhook-timestamp and webhook-signature are all required: without them, a replay cannot be detected. Does a proxy drop them?"
    )
  }
  if (!/^\d{1,12}$/u.test(timestamp)) {
    return failure("invalid_timestamp", "webhook-timestamp is not a number of seconds since 1970.")
  }

  // Checks the signature before the time, so that only a genuine delivery is reported as too old or too new.
  // Spaces separate the signatures in a field. A web `Headers` and Node join repeated fields with a comma and a space.
  const given = signatures
    .split(/,? /u)
    .flatMap((signature) => (signature.startsWith("v1,") ? [signature.slice(3)] : []))
  if (!(await isSignedBy(keys, { prefix: `${id}.${timestamp}.`, body, encoding: "base64" }, given))) {
    return failure(
      "signature_mismatch",
      "No signature matches. Either the secret is another endpoint's, or the body is not byte for byte what was sent (parsed and written again, or decoded), or the delivery is forged."
    )
  }
  return faultOfTime(input, Number(timestamp)) ?? faultOfId(input, id) ?? accepted(id, Number(timestamp), body)
}

const accepted = (id: string, seconds: number, body: Uint8Array): SignedDelivery => ({
  ok: true,
  id,
  timestamp: new Date(seconds * 1000),
  body
})

const faultOfTime = ({ now, toleranceSeconds = 300 }: VerifyInput, seconds: number): WebhookFailure | undefined => {
  const age = Math.floor((now?.getTime() ?? Date.now()) / 1000) - seconds
  // In this form, the comparison also rejects a tolerance of NaN.
  if (Math.abs(age) <= toleranceSeconds) return undefined
  return age > 0
    ? failure(
        "timestamp_too_old",
        `Signed ${age} s ago; ${toleranceSeconds} s are allowed. Is it a replay, or is a clock wrong?`
      )
    : failure(
        "timestamp_too_new",
        `Signed ${-age} s ahead of this clock; ${toleranceSeconds} s are allowed. A clock is wrong.`
      )
}

const faultOfId = ({ headers }: VerifyInput, id: string): WebhookFailure | undefined =>
  (field(headers, "x-service-event-id") ?? id) === id
    ? undefined
    : failure("event_id_mismatch", "X-Service-Event-Id is not the webhook-id that was signed.")
