import { createHash } from "node:crypto"
import { topics } from "@surety/core/event/DomainEvent"
import { eventTypes } from "@surety/core/event/EventTypes"
import { verify } from "@surety/verifier"
import { newSecret, sign } from "@surety/verifier/testing"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { secretOf, signedHeaders } from "../../src/cli/listen/sign.js"

const eventId = "event_01jd4c5p8vf3vs6y2k7m9q4hzn"
const sequence = "0".repeat(56)

/** Returns the headers that the service's own sender generates for a delivery. */
const bySender = (topic: string, body: string, attempt: number, secret: string) =>
  Effect.gen(function* () {
    const signer = yield* WebhookSigner.WebhookSigner
    const event = { id: eventId, topic, environment: "TEST", sequence } as const
    return yield* signer.sign({ event, body: new TextEncoder().encode(body), attempt }, [Redacted.make(secret)])
  }).pipe(Effect.provide(WebhookSigner.layer.pipe(Layer.provide(NodeMac.layer))), Effect.runPromise)

const signing = (topic: string, body: string, secret: string, nowMillis: number, attempt = 1) =>
  signedHeaders({
    ...{ eventId, topic, environment: "TEST", version: "1", sequence },
    ...{ body, attempt, secret, nowMillis }
  })

describe("a delivery of listen", () => {
  it.each([...topics.map((topic) => [topic, JSON.stringify(eventTypes[topic].example)]), ["own", '{"a":"Ọlá’s 🏺"}']])(
    "of %s has the headers that the service's sender makes",
    async (topic, body) => {
      const secret = newSecret()
      const theirs = await bySender(topic, body, 3, secret)
      const ours = signing(topic, body, secret, Number(theirs["webhook-timestamp"]) * 1000 + 999, 3)
      expect(ours).toEqual(theirs)
      expect(Object.keys(ours)).toEqual(Object.keys(theirs))
    }
  )

  it("has those of the kit for tests too, and the verifier accepts it", async () => {
    const secret = newSecret()
    const payload = JSON.stringify(eventTypes["refund.completed"].example)
    const timestamp = new Date()
    const ours = signing("refund.completed", payload, secret, timestamp.getTime())
    const kit = await sign({ secrets: secret, id: eventId, topic: "refund.completed", payload, sequence, timestamp })
    const lower = (headers: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    expect(lower(ours)).toEqual(lower(kit.headers))
    expect(await verify({ headers: ours, body: payload, secrets: secret })).toMatchObject({ ok: true })
    const altered = await verify({ headers: ours, body: payload.replace("2500.5", "9500.5"), secrets: secret })
    expect(altered).toMatchObject({ ok: false, reason: "signature_mismatch" })
  })
})

describe("the secret of listen", () => {
  it("is the same for a key, another for another, of a registered one's form, and does not show the key", async () => {
    const [one, other] = ["sk_test_one", "sk_test_other"].map(secretOf)
    expect(secretOf("sk_test_one")).toBe(one)
    expect(one).not.toBe(other)
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
    const bytes = Buffer.from(String(one).slice(6), "base64")
    // The service stores the key's SHA-256, which must not reveal the secret.
    expect(bytes.equals(createHash("sha256").update("sk_test_one").digest())).toBe(false)
    expect(await sign({ secrets: one, topic: "any", payload: "{}" })).toHaveProperty("body", "{}")
  })
})
