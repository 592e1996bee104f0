import type { EndpointSecret } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId } from "@surety/core/Ids"
import { Keyring, type SecretUnreadable } from "@surety/core/secret/Keyring"
import { Effect, type Redacted } from "effect"
import { Base64 } from "effect/encoding"

/** Opens a secret of an endpoint; the same one is answered as the same object for a while. */
export type OpenedSecrets = (
  owner: EndpointId,
  secret: EndpointSecret
) => Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>

/** How many opened secrets are remembered. */
const limit = 1000

/**
 * Remembers the secrets that were opened last, since opening one takes longer than signing with it. They are known by
 * what is stored, so one that was rotated away is never answered for another.
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
