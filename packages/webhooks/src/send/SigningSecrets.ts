import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { Keyring, SecretUnreadable } from "@surety/core/secret/Keyring"
import { Array as Arr, DateTime, Effect, type Redacted } from "effect"
import * as OpenedSecrets from "./OpenedSecrets.js"
import { activeSecrets, NoSigningKey, WebhookSigner } from "./WebhookSigner.js"

/** Why an endpoint's deliveries cannot be signed. */
export type SigningFailure = SecretUnreadable | NoSigningKey

type Signing = Pick<WebhookEndpoint, "id" | "secrets">

/** Opens an endpoint's active secrets, oldest first. */
export type SigningSecrets = (
  endpoint: Signing
) => Effect.Effect<Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>, SigningFailure>

export const make: Effect.Effect<SigningSecrets, never, Keyring> = Effect.map(OpenedSecrets.make, (openSecret) =>
  Effect.fnUntraced(function* ({ id, secrets }: Signing) {
    const active = activeSecrets(secrets, yield* DateTime.now)
    const opened = yield* Effect.forEach(active, (secret) => openSecret(id, secret))
    return Arr.isReadonlyArrayNonEmpty(opened) ? opened : yield* new NoSigningKey({})
  })
)

/** A message that is signed only to try the secrets. */
const trial = {
  event: { id: "", topic: "", environment: "TEST" },
  body: new Uint8Array(),
  attempt: 1
} as const

/** Makes a check that fails if the endpoint's deliveries cannot be signed now. */
export const makeCheck: Effect.Effect<
  (endpoint: Signing) => Effect.Effect<void, SigningFailure>,
  never,
  Keyring | WebhookSigner
> = Effect.gen(function* () {
  const secretsOf = yield* make
  const signer = yield* WebhookSigner
  return (endpoint) => Effect.asVoid(Effect.flatMap(secretsOf(endpoint), (secrets) => signer.sign(trial, secrets)))
})
