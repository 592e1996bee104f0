import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { topics } from "@surety/core/event/DomainEvent"
import * as WebhookSecret from "@surety/core/event/WebhookSecret"
import { EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { Array as Arr, Cause, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { activeSecrets, layer, NoSigningKey, type SignedMessage, WebhookSigner } from "../../src/send/WebhookSigner.js"

const Vectors = Schema.Struct({
  vectors: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** Newest first. */
      secrets: Schema.NonEmptyArray(Schema.String),
      id: Schema.String,
      timestamp: Schema.Int,
      topic: Schema.Literals(topics),
      body: Schema.String,
      serviceSignature: Schema.String,
      webhookSignature: Schema.String
    })
  )
})
type Vector = (typeof Vectors.Type)["vectors"][number]

const { vectors } = Schema.decodeUnknownSync(Schema.fromJsonString(Vectors))(
  readFileSync(new URL("../../../testing/src/vectors/webhook-signatures.json", import.meta.url), "utf8")
)

const TestLayer = layer.pipe(Layer.provideMerge(NodeCrypto.layer))

const utf8 = new TextEncoder()
const body = '{"refundId":"refund_1","reason":"₦2,500 back 🏺"}'
const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString("base64")}`

/** Computes the signatures with Node's crypto. `secrets` are oldest first; `webhook-signature` is newest first. */
const expected = (id: string, timestamp: number, text: string, secrets: Arr.NonEmptyReadonlyArray<string>) => ({
  "X-Service-Signature": createHmac("sha256", secrets[0]).update(text).digest("hex"),
  "webhook-signature": secrets
    .toReversed()
    .map((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64")
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64")}`
    })
    .join(" ")
})

const sign = Effect.fnUntraced(function* (
  secrets: Arr.NonEmptyReadonlyArray<string>,
  change: Partial<SignedMessage> = {},
  text = body
) {
  const signer = yield* WebhookSigner
  const id = yield* EventId.next
  const event = { id, topic: "refund.completed" as const, environment: "LIVE" as const }
  const message = { event, body: utf8.encode(text), attempt: 1, ...change }
  return yield* signer.sign(
    message,
    Arr.map(secrets, (secret) => Redacted.make(secret))
  )
})

const signVector = Effect.fnUntraced(function* ({ body, id, secrets, timestamp, topic }: Vector) {
  yield* TestClock.setTime(timestamp * 1000 + 999)
  // An id's format does not affect the signature, so its check is disabled.
  const event = { id: EventId.make(id, { disableChecks: true }), topic, environment: "TEST" as const }
  return yield* sign(Arr.reverse(secrets), { event }, body)
})

describe("the headers of an attempt", () => {
  it.effect("are the contract's, in their documented case", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T10:15:30.999Z"))
      const id = yield* EventId.next
      const sequence = "00000001000000000000"
      const event = { id, topic: "transaction.settled" as const, environment: "TEST" as const, sequence }
      const secret = secretOf(7)
      const headers = yield* sign([secret], { event, attempt: 3 })
      expect(headers).toEqual({
        ...expected(id, 1795169730, body, [secret]),
        "X-Service-Event": "transaction.settled",
        "X-Service-Event-Id": id,
        "X-Service-Event-Version": "1",
        "X-Service-Sequence": sequence,
        "X-Service-Environment": "TEST",
        "X-Service-Delivery-Attempt": "3",
        "User-Agent": "Service-Webhooks/1.0",
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": "1795169730"
      })
      expect(headers["X-Service-Signature"]).toMatch(/^[0-9a-f]{64}$/u)
      const testFor = yield* EndpointId.next
      const tested = yield* sign([secret], { event: { ...event, testFor }, attempt: 3 })
      expect(tested, "a test event is marked").toEqual({ ...headers, "X-Service-Test": "true" })
      const aboutMerchant = yield* MerchantId.next
      const told = yield* sign([secret], { event: { ...event, aboutMerchant }, attempt: 3 })
      expect(told, "the platform reads the merchant").toEqual({ ...headers, "X-Service-Merchant": aboutMerchant })
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("during a rotation's overlap are signed with the older secret, and in webhook-signature with both", () =>
    Effect.gen(function* () {
      const secrets = [secretOf(1), secretOf(2)] as const
      const headers = yield* sign(secrets)
      const id = headers["webhook-id"] ?? ""
      expect(headers).toMatchObject(expected(id, 0, body, secrets))
      expect(headers["X-Service-Signature"]).toBe(createHmac("sha256", secrets[0]).update(body).digest("hex"))
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("carry the time of the attempt, not of the event", () =>
    Effect.gen(function* () {
      const first = yield* sign([secretOf(1)])
      yield* TestClock.adjust("5 minutes")
      const second = yield* sign([secretOf(1)])
      expect([first["webhook-timestamp"], second["webhook-timestamp"]]).toEqual(["0", "300"])
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("are accepted by Standard Webhooks' own library, with any active secret and no other", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* sign([secretOf(1), secretOf(2)])) }
      for (const secret of [secretOf(1), secretOf(2)]) {
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      }
      expect(() => new Webhook(secretOf(3)).verify(body, headers)).toThrow("No matching signature found")
      expect(() => new Webhook(secretOf(1)).verify(`${body} `, headers)).toThrow("No matching signature found")
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("made with a new secret are accepted by Standard Webhooks' own library", () =>
    Effect.gen(function* () {
      const secret = Redacted.value(yield* WebhookSecret.next)
      expect(new Webhook(secret).verify(body, { ...(yield* sign([secret])) })).toEqual(JSON.parse(body))
    }).pipe(Effect.provide(TestLayer))
  )

  for (const malformed of ["whsec_", "whsec_no base64!", Buffer.alloc(32).toString("base64")]) {
    it.effect(`cannot be made with ${JSON.stringify(malformed)}, and the refusal does not repeat the secret`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(sign([malformed]))
        const failed = exit._tag === "Failure" ? Cause.squash(exit.cause) : undefined
        expect(failed).toBeInstanceOf(NoSigningKey)
        expect(JSON.stringify(failed)).not.toContain(malformed.slice("whsec_".length) || "never")
      }).pipe(Effect.provide(TestLayer))
    )
  }
})

describe("the shared vectors", () => {
  it("exist", () => expect(vectors.length).toBeGreaterThan(5))

  for (const vector of vectors) {
    it.effect(vector.name, () =>
      Effect.gen(function* () {
        const headers = yield* signVector(vector)
        expect(headers["X-Service-Signature"]).toBe(vector.serviceSignature)
        expect(headers["webhook-signature"]).toBe(vector.webhookSignature)
        expect(headers["webhook-timestamp"]).toBe(String(vector.timestamp))
      }).pipe(Effect.provide(TestLayer))
    )
  }
})

describe("active secrets", () => {
  const at = (text: string) => DateTime.makeUnsafe(text)
  const sealed = { keyId: "1", bytes: new Uint8Array() }
  const older = { sealed, createdAt: at("2026-01-01T00:00:00Z"), expiresAt: at("2026-06-02T00:00:00Z") }
  const newer = { sealed, createdAt: at("2026-06-01T00:00:00Z") }

  it("are both until the overlap ends", () =>
    expect(activeSecrets([older, newer], at("2026-06-01T23:59:59.999Z"))).toEqual([older, newer]))

  it("are only the newer one from then on", () =>
    expect(activeSecrets([older, newer], at("2026-06-02T00:00:00Z"))).toEqual([newer]))
})
