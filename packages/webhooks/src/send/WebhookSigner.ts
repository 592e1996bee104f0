import type { Environment } from "@surety/core/Environment"
import type { EndpointSecret } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId } from "@surety/core/Ids"
import { type Array as Arr, Clock, Context, DateTime, Effect, Layer, Redacted, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"

/** An endpoint's secret is not `whsec_` and base64, or it has none in force. */
export class NoSigningKey extends Schema.TaggedError<NoSigningKey>("@surety/webhooks/send/WebhookSigner/NoSigningKey")(
  "NoSigningKey",
  {}
) {
  override get message(): string {
    return "The endpoint has no secret in force that is whsec_ and base64. Rotate its secret."
  }
}

/** What an attempt sends. */
export interface Message {
  readonly event: {
    readonly id: string
    readonly topic: string
    readonly environment: Environment
    /** The endpoint that alone gets it, of an event that did not happen. */
    readonly testFor?: EndpointId | undefined
  }
  /** The event's stored body, byte for byte as it goes out. */
  readonly body: Uint8Array
  /** Counts from 1. */
  readonly attempt: number
}

/** The secrets of an endpoint that count at `now`, oldest first: two of them while a rotation overlaps. */
export const inForce = (secrets: ReadonlyArray<EndpointSecret>, now: DateTime.Utc): ReadonlyArray<EndpointSecret> =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || DateTime.isLessThan(now, expiresAt))

/** Makes the headers by which a merchant knows that a delivery is genuine. */
export class WebhookSigner extends Context.Service<
  WebhookSigner,
  {
    /**
     * The headers of one attempt, signed now, under the names of specification 6.1, contract 11 and Standard Webhooks.
     *
     * `X-Service-Signature` is lower-case hex of HMAC-SHA256 over the body, keyed with the oldest secret: the whole
     * text in UTF-8. `webhook-signature` has one `v1,` and base64 for each secret, newest first, over
     * `id.timestamp.body`, keyed with the bytes whose base64 follows `whsec_`; the timestamp is Unix seconds.
     *
     * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
     */
    readonly sign: (
      message: Message,
      /** Those in force, oldest first. */
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

/** A secret's keys: of `X-Service-Signature` its text, of `webhook-signature` the bytes that it stands for. */
interface SigningKeys {
  readonly service: Mac.Key
  readonly standard: Mac.Key
}

// An empty key is the only one that is refused.
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
  // For as long as somebody else remembers the secret.
  const known = new WeakMap<Redacted.Redacted<string>, SigningKeys>()

  const keysOf = (secret: Redacted.Redacted<string>): Effect.Effect<SigningKeys, NoSigningKey> => {
    const keys = known.get(secret)
    return keys === undefined
      ? Effect.tap(signingKeys(Redacted.value(secret)), (made) => Effect.sync(() => known.set(secret, made)))
      : Effect.succeed(keys)
  }

  const hmac = (key: Mac.Key, data: Uint8Array): Effect.Effect<Uint8Array> => Effect.orDie(mac.sign(key, data))

  const sign = Effect.fnUntraced(function* (
    { attempt, body, event }: Message,
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
      "X-Service-Environment": event.environment,
      "X-Service-Delivery-Attempt": String(attempt),
      "User-Agent": "Service-Webhooks/1.0",
      "Content-Type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
      // A test event says so; nothing else has the header.
      ...(event.testFor === undefined ? {} : { "X-Service-Test": "true" })
    }
  })

  return WebhookSigner.of({ sign })
})

export const layer: Layer.Layer<WebhookSigner, never, Mac.Mac> = Layer.effect(WebhookSigner, make)
