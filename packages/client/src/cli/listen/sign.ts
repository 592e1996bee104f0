import { createHmac } from "node:crypto"

export interface Signing {
  readonly eventId: string
  readonly topic: string
  readonly environment: string
  readonly version: string
  readonly sequence: string
  /** The body exactly as it is sent. */
  readonly body: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  readonly secret: string
  readonly nowMillis: number
}

const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data)

/**
 * Returns the headers that the service sends with a delivery, as defined by specification 6.1, contract 11 and Standard
 * Webhooks. The secret is `whsec_` followed by base64. `sign.test.ts` compares them with the service's own headers.
 */
export const signedHeaders = (signing: Signing): Readonly<Record<string, string>> => {
  const { attempt, body, environment, eventId, nowMillis, secret, sequence, topic, version } = signing
  const timestamp = String(Math.floor(nowMillis / 1000))
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  return {
    "X-Service-Signature": hmac(secret, body).digest("hex"),
    "X-Service-Event": topic,
    "X-Service-Event-Id": eventId,
    "X-Service-Event-Version": version,
    "X-Service-Sequence": sequence,
    "X-Service-Environment": environment,
    "X-Service-Delivery-Attempt": String(attempt),
    "User-Agent": "Service-Webhooks/1.0",
    "Content-Type": "application/json",
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac(key, `${eventId}.${timestamp}.${body}`).digest("base64")}`
  }
}

/**
 * Derives the signing secret of `listen` from the key. The derivation is deterministic, so the secret need not be
 * stored. It is one-way, so the secret does not reveal the key.
 */
export const secretOf = (apiKey: string): string =>
  `whsec_${hmac(apiKey, "surety-client listen: webhook secret 1").digest("base64")}`
