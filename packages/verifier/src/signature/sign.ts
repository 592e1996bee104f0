import type { Payloads } from "../Payloads.generated.js"
import type { Environment, Topic } from "../WebhookEvent.js"
import { type Hmac, platformHmac } from "./Hmac.js"
import { type Secrets, serviceKeys, standardKeys } from "./Secrets.js"
import { utf8 } from "./utf8.js"

interface SignOptions {
  /** The secret to sign with. During the overlap of a rotation, pass the new secret and then the old one. */
  readonly secrets: Secrets
  /** Default: a new `event_…`. Pass the same id again to simulate a repeated delivery. */
  readonly id?: string
  /** Default: now. */
  readonly timestamp?: Date
  /** Default: `TEST`. */
  readonly environment?: Environment
  /** Default: 1. */
  readonly attempt?: number
  /** Default: derived from `timestamp`. A later `timestamp` gives a greater sequence. */
  readonly sequence?: string
}

/** The delivery to sign. An object payload is sent as JSON, a string unchanged. */
export type SignInput =
  | { readonly [T in Topic]: SignOptions & { readonly topic: T; readonly payload: Payloads[T] } }[Topic]
  | (SignOptions & { readonly topic: string; readonly payload: string })

/** A delivery as the service would send it: POST `body` with these `headers`. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Creates a delivery with the headers that the service sends for an event, including both signatures. Use it to test
 * your receiver without the service. During an overlap, `webhook-signature` has one signature per secret.
 * `X-Service-Signature` uses the old (last) secret, as the service does.
 *
 * Rejects with a `TypeError` if a secret is missing or does not have the service's format.
 */
export const sign = (input: SignInput): Promise<SignedRequest> => signWith(platformHmac(), input)

export const signWith = async (hmac: Hmac, input: SignInput): Promise<SignedRequest> => {
  const standard = standardKeys(hmac, input.secrets)
  const service = serviceKeys(hmac, input.secrets)
  if (typeof standard === "string") throw new TypeError(standard)
  if (typeof service === "string") throw new TypeError(service)

  const { id = newEventId(), timestamp = new Date(), environment = "TEST", attempt = 1, topic, payload } = input
  const { sequence = `00000001${timestamp.getTime().toString(16).padStart(16, "0")}${"0".repeat(32)}` } = input
  const body = typeof payload === "string" ? payload : JSON.stringify(payload)
  const bytes = utf8(body)
  const seconds = String(Math.floor(timestamp.getTime() / 1000))
  const signatures = await Promise.all(standard.map((key) => key(`${id}.${seconds}.`, bytes, "base64")))
  const serviceSignatures = await Promise.all(service.map((key) => key("", bytes, "hex")))
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Service-Webhooks/1.0",
      "X-Service-Signature": serviceSignatures.at(-1) ?? "",
      "X-Service-Event": topic,
      "X-Service-Event-Id": id,
      "X-Service-Event-Version": "1",
      "X-Service-Sequence": sequence,
      "X-Service-Environment": environment,
      "X-Service-Delivery-Attempt": String(attempt),
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" ")
    }
  }
}

/** Returns a new secret in the format of an endpoint's secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...globalThis.crypto.getRandomValues(new Uint8Array(32))))}`

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** Returns a new event id: `event_` and 26 digits of Crockford's base 32, the first of which is at most 7. */
const newEventId = (): string => {
  const [first = 0, ...rest] = globalThis.crypto.getRandomValues(new Uint8Array(26))
  return `event_${digits[first % 8]}${rest.map((byte) => digits[byte % 32]).join("")}`
}
