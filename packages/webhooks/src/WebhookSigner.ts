import type { Environment } from "@surety/core/Environment"
import type { EndpointSecret } from "@surety/core/event/WebhookEndpoint"
import { type Array as Arr, Clock, Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"

/** An endpoint's secret is not `whsec_` and base64, or it has none in force. */
export class NoSigningKey extends Schema.TaggedError<NoSigningKey>("@surety/webhooks/WebhookSigner/NoSigningKey")(
  "NoSigningKey",
  {}
) {
  override get message(): string {
    return "The endpoint has no secret in force that is whsec_ and base64. Rotate its secret."
  }
}

/** What an attempt sends. */
export interface Message {
  readonly event: { readonly id: string; readonly topic: string; readonly environment: Environment }
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
>()("@surety/webhooks/WebhookSigner") {}

const prefix = "whsec_"
const utf8 = new TextEncoder()

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

const standardKey = (secret: string): Effect.Effect<Uint8Array, NoSigningKey> =>
  secret.startsWith(prefix)
    ? Effect.mapError(Effect.fromResult(Base64.decode(secret.slice(prefix.length))), () => new NoSigningKey({}))
    : Effect.fail(new NoSigningKey({}))

const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac

  const hmac = Effect.fnUntraced(function* (key: Uint8Array, data: Uint8Array) {
    // An empty key is the only one that is refused.
    if (key.length === 0) return yield* new NoSigningKey({})
    return yield* Effect.orDie(Effect.flatMap(Mac.key(Mac.hmacSha256, key), (key) => mac.sign(key, data)))
  })

  const sign = Effect.fnUntraced(function* (
    { attempt, body, event }: Message,
    secrets: Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>
  ) {
    const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
    const signed = concat(utf8.encode(`${event.id}.${timestamp}.`), body)
    const signatures = yield* Effect.forEach(secrets.toReversed(), (secret) =>
      Effect.gen(function* () {
        const key = yield* standardKey(Redacted.value(secret))
        return `v1,${Base64.encode(yield* hmac(key, signed))}`
      })
    )
    return {
      "X-Service-Signature": Hex.encode(yield* hmac(utf8.encode(Redacted.value(secrets[0])), body)),
      "X-Service-Event": event.topic,
      "X-Service-Event-Id": event.id,
      "X-Service-Environment": event.environment,
      "X-Service-Delivery-Attempt": String(attempt),
      "User-Agent": "Service-Webhooks/1.0",
      "Content-Type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" ")
    }
  })

  return WebhookSigner.of({ sign })
})

export const layer: Layer.Layer<WebhookSigner, never, Mac.Mac> = Layer.effect(WebhookSigner, make)
