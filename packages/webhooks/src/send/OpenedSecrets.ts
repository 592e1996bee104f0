import type { EndpointSecret } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId } from "@surety/core/Ids"
import { Keyring, type SecretUnreadable } from "@surety/core/secret/Keyring"
import { Effect, type Redacted } from "effect"
import { Base64 } from "effect/encoding"

/** Opens an endpoint's secret. While the secret is cached, returns the same object each time. */
export type OpenedSecrets = (
  owner: EndpointId,
  secret: EndpointSecret
) => Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>

/** Maximum number of cached secrets. */
const limit = 1000

/**
 * Makes a cache of opened secrets, since opening a secret takes longer than signing with it. The cache is keyed by the
 * sealed value, so a rotated secret is never returned instead of its successor.
 */
export const make: Effect.Effect<OpenedSecrets, never, Keyring> = Effect.map(Keyring, (keyring) => {
  const opened = new Map<string, Redacted.Redacted<string>>()
  return Effect.fnUntraced(function* (owner: EndpointId, { sealed }: EndpointSecret) {
    const key = `${owner} ${sealed.keyId} ${Base64.encode(sealed.bytes)}`
    const known = opened.get(key)
    if (known !== undefined) return known
    const secret = yield* keyring.open(owner, sealed)
    const [oldest] = opened.keys()
    if (opened.size >= limit && oldest !== undefined) opened.delete(oldest)
    opened.set(key, secret)
    return secret
  })
})
