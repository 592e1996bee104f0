import type { Environment } from "@surety/core/Environment"
import { eventVersion } from "@surety/core/event/EventTypes"
import type { EndpointSecret } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId, MerchantId } from "@surety/core/Ids"
import { type Array as Arr, Clock, Context, DateTime, Effect, Layer, Redacted, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"

/** An endpoint has no active secret, or a secret is not `whsec_` followed by base64. */
export class NoSigningKey extends Schema.TaggedError<NoSigningKey>("@surety/webhooks/send/WebhookSigner/NoSigningKey")(
  "NoSigningKey",
  {}
) {
  override get message(): string {
    return "The endpoint has no active secret of the form whsec_ and base64. Rotate its secret."
  }
}

/** The signed content, and the data for the accompanying headers. */
export interface SignedMessage {
  readonly event: {
    readonly id: string
    readonly topic: string
    readonly environment: Environment
    /** The only endpoint that receives a test event. Not set on other events. */
    readonly testFor?: EndpointId | undefined
    /** The event's sort key in the order of `EventLog.follow` (`SequencedEvent`). Not set on calls to hooks. */
    readonly sequence?: string | undefined
    /** The merchant that a platform event concerns, if any. Not set on other messages. */
    readonly aboutMerchant?: MerchantId | undefined
  }
  /** The body, sent byte for byte. */
  readonly body: Uint8Array
  /** Starts at 1. */
  readonly attempt: number
}

/** Returns the secrets active at `now`, in the given order. There are several during the overlap of a rotation. */
export const activeSecrets = (
  secrets: ReadonlyArray<EndpointSecret>,
  now: DateTime.Utc
): ReadonlyArray<EndpointSecret> =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || DateTime.isLessThan(now, expiresAt))

/** Builds the headers of a signed POST: a webhook delivery, a platform event or a call to a hook. */
export class WebhookSigner extends Context.Service<
  WebhookSigner,
  {
    /**
     * Signs one attempt at the current time and returns its headers, named as in specification 6.1, contract 11 and
     * Standard Webhooks. Fails with `NoSigningKey` if a secret is malformed.
     *
     * - `X-Service-Signature`: lower-case hex of HMAC-SHA256 over the body. The key is the oldest secret in UTF-8,
     *   prefix included.
     * - `webhook-signature`: for each secret, newest first, `v1,` followed by the base64 of HMAC-SHA256 over
     *   `id.timestamp.body`, with the timestamp in Unix seconds. The key is the decoded base64 after `whsec_`.
     *
     * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
     */
    readonly sign: (
      message: SignedMessage,
      /** Active secrets, oldest first. */
      secrets: Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>
    ) => Effect.Effect<Readonly<Record<string, string>>, NoSigningKey>
  }
>()("@surety/webhooks/send/WebhookSigner") {}

const prefix = "whsec_"
const utf8 = new TextEncoder()

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

interface SigningKeys {
  /** Key for `X-Service-Signature`: the secret in UTF-8, prefix included. */
  readonly service: Mac.Key
  /** Key for `webhook-signature`: the decoded base64 after the prefix. */
  readonly standard: Mac.Key
}

// `Mac.key` fails only for an empty key. Empty keys are rejected first, so a failure here is a defect.
const macKey = (bytes: Uint8Array): Effect.Effect<Mac.Key, NoSigningKey> =>
  bytes.length === 0 ? Effect.fail(new NoSigningKey({})) : Effect.orDie(Mac.key(Mac.hmacSha256, bytes))

const signingKeys = Effect.fnUntraced(function* (secret: string) {
  if (!secret.startsWith(prefix)) return yield* new NoSigningKey({})
  const bytes = Base64.decode(secret.slice(prefix.length))
  if (Result.isFailure(bytes)) return yield* new NoSigningKey({})
  const keys: SigningKeys = { service: yield* macKey(utf8.encode(secret)), standard: yield* macKey(bytes.success) }
  return keys
})

const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  // An entry lives as long as its secret object. `OpenedSecrets` caches the secret objects of endpoints.
  const known = new WeakMap<Redacted.Redacted<string>, SigningKeys>()

  const keysOf = (secret: Redacted.Redacted<string>): Effect.Effect<SigningKeys, NoSigningKey> => {
    const keys = known.get(secret)
    return keys === undefined
      ? Effect.tap(signingKeys(Redacted.value(secret)), (made) => Effect.sync(() => known.set(secret, made)))
      : Effect.succeed(keys)
  }

  const hmac = (key: Mac.Key, data: Uint8Array): Effect.Effect<Uint8Array> => Effect.orDie(mac.sign(key, data))

  const sign = Effect.fnUntraced(function* (
    { attempt, body, event }: SignedMessage,
    secrets: Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>
  ) {
    const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
    const signed = concat(utf8.encode(`${event.id}.${timestamp}.`), body)
    const keys = yield* Effect.forEach(secrets, keysOf)
    const signatures = yield* Effect.forEach(keys.toReversed(), ({ standard }) =>
      Effect.map(hmac(standard, signed), (tag) => `v1,${Base64.encode(tag)}`)
    )
    const [oldest] = keys
    return {
      "X-Service-Signature": oldest === undefined ? "" : Hex.encode(yield* hmac(oldest.service, body)),
      "X-Service-Event": event.topic,
      "X-Service-Event-Id": event.id,
      "X-Service-Event-Version": eventVersion,
      ...(event.sequence === undefined ? {} : { "X-Service-Sequence": event.sequence }),
      ...(event.aboutMerchant === undefined ? {} : { "X-Service-Merchant": event.aboutMerchant }),
      "X-Service-Environment": event.environment,
      "X-Service-Delivery-Attempt": String(attempt),
      "User-Agent": "Service-Webhooks/1.0",
      "Content-Type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
      ...(event.testFor === undefined ? {} : { "X-Service-Test": "true" })
    }
  })

  return WebhookSigner.of({ sign })
})

export const layer: Layer.Layer<WebhookSigner, never, Mac.Mac> = Layer.effect(WebhookSigner, make)
