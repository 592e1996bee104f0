import { field } from "./body/HeaderFields.js"
import { isBoundedJson } from "./body/isBoundedJson.js"
import { type Hmac, platformHmac } from "./signature/Hmac.js"
import { type SignedDelivery, verifySignatureWith } from "./signature/verifySignature.js"
import { failure, type VerifyInput, type WebhookFailure } from "./Verification.js"
import { contradicts, type Environment, isTopic, type WebhookEvent } from "./WebhookEvent.js"

/** A genuine event, or the reason for the rejection. */
export type WebhookVerification = { readonly ok: true; readonly event: WebhookEvent } | WebhookFailure

/**
 * Verifies that a delivery is genuine and recent, and returns its event, typed by topic. Otherwise returns the
 * reason for the rejection.
 *
 * Requires the Standard Webhooks headers, whose signature covers id, time and body. `X-Service-Signature` covers only
 * the body and is ignored, so omitting the other headers does not allow a replay. Also requires `X-Service-Event`. This
 * header is not signed, so a known topic is rejected if the payload contradicts it. An event with a topic unknown to
 * this version of the package has `known: false` and an untyped payload.
 *
 * Never throws for bad input. The same event can arrive more than once: deduplicate by `event.id`, or use
 * `createHandler`.
 *
 * @example
 * import { verify } from "@surety/verifier"
 * import { sign } from "@surety/verifier/testing"
 *
 * const secrets = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * // What arrives at your URL. The body must be the raw bytes, before anything parses it.
 * const { body, headers } = await sign({ secrets, topic: "refund.completed", payload: "{}" })
 * const verification = await verify({ body, headers, secrets })
 * console.log(verification.ok ? verification.event.topic : verification.reason)
 */
export const verify = (input: VerifyInput): Promise<WebhookVerification> => verifyWith(platformHmac(), input)

export const verifyWith = async (hmac: Hmac, input: VerifyInput): Promise<WebhookVerification> => {
  const delivery = await verifySignatureWith(hmac, input)
  if (!delivery.ok) return delivery
  const topic = field(input.headers, "x-service-event")
  if (topic === undefined) return failure("missing_headers", "X-Service-Event, which names the topic, is missing.")
  const json = parse(delivery.body)
  if (json === undefined)
    return failure(
      "invalid_json",
      "The body is signed, but it is not JSON in UTF-8, or has deeper nesting or more values than any event."
    )
  if (isTopic(topic)) {
    const { payload } = json
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
      return failure("invalid_json", `The payload of ${topic} is a JSON object; this body is another value.`)
    }
    if (contradicts(topic, payload)) {
      return failure(
        "topic_mismatch",
        `X-Service-Event says ${topic}, but the signed payload belongs to another topic.`
      )
    }
  }
  return { ok: true, event: toEvent(input, delivery, topic, json.payload) }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

const parse = (body: Uint8Array): { readonly payload: unknown } | undefined => {
  try {
    const text = decoder.decode(body)
    return isBoundedJson(text) ? { payload: JSON.parse(text) } : undefined
  } catch {
    return undefined
  }
}

const toEvent = ({ headers }: VerifyInput, delivery: SignedDelivery, topic: string, payload: unknown): WebhookEvent => {
  const event = {
    known: isTopic(topic),
    id: delivery.id,
    topic,
    environment: environment(field(headers, "x-service-environment")),
    test: field(headers, "x-service-test") === "true",
    sequence: field(headers, "x-service-sequence"),
    attempt: attempt(field(headers, "x-service-delivery-attempt")),
    timestamp: delivery.timestamp,
    payload
  }
  // The signature proves the sender, so the payload is trusted to have the type of its topic.
  return event as WebhookEvent
}

const environment = (value: string | undefined): Environment | undefined =>
  value === "TEST" || value === "LIVE" ? value : undefined

const attempt = (value: string | undefined): number | undefined =>
  value !== undefined && /^[1-9]\d{0,5}$/u.test(value) ? Number(value) : undefined
