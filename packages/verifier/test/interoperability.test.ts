import { NodeCrypto } from "@effect/platform-node"
import { EventId } from "@surety/core/Ids"
import { layer, WebhookSigner } from "@surety/webhooks/send/WebhookSigner"
import { type Array as Arr, Effect, Layer, Redacted } from "effect"
import * as standardWebhooks from "standardwebhooks"
import * as svix from "svix"
import { describe, expect, it } from "vitest"
import { verifyServiceSignature } from "../src/index.js"
import { newSecret, type SignedRequest, samplePayloads, sign } from "../src/testing.js"
import { verify } from "../src/verify.js"

const payload = { ...samplePayloads["refund.completed"], reason: "₦2,500 back: Ọlá’s “broken” vase 🏺" }
const body = JSON.stringify(payload)
const id = "event_01jd4c5p8vf3vs6y2k7m9q4hzn"

const signAsService = async (secrets: Arr.NonEmptyReadonlyArray<string>): Promise<SignedRequest> => {
  const [first, ...others] = secrets.map((secret) => Redacted.make(secret)).toReversed()
  if (first === undefined) expect.fail("there is a secret")
  const event = { id: EventId.make(id), topic: "refund.completed", environment: "LIVE", sequence: "0001" } as const
  const message = { event, body: new TextEncoder().encode(body), attempt: 2 }
  const headers = await Effect.gen(function* () {
    const signer = yield* WebhookSigner
    return yield* signer.sign(message, [first, ...others])
  }).pipe(Effect.provide(Layer.provide(layer, NodeCrypto.layer)), Effect.runPromise)
  return { body, headers }
}

const signForTests = (secrets: Arr.NonEmptyReadonlyArray<string>) =>
  sign({ secrets, topic: "refund.completed", payload, id, environment: "LIVE", attempt: 2 })

const verifiers = [
  [
    "standardwebhooks",
    ({ body, headers }: SignedRequest, secret: string) => {
      new standardWebhooks.Webhook(secret).verify(body, { ...headers })
    }
  ],
  [
    "svix",
    ({ body, headers }: SignedRequest, secret: string) => {
      new svix.Webhook(secret).verify(body, { ...headers })
    }
  ]
] as const

describe.each([
  ["the service", signAsService],
  ["sign", signForTests]
])("what %s signs", (_, signed) => {
  it.each(verifiers)("is accepted by the npm package %s, also in a rotation's overlap", async (_name, accepts) => {
    const [newer, older] = [newSecret(), newSecret()]
    for (const secrets of [[older], [newer, older]] as const) {
      const delivery = await signed(secrets)
      for (const secret of secrets) expect(() => accepts(delivery, secret)).not.toThrow()
      expect(() => accepts(delivery, newSecret())).toThrow("No matching signature")
      expect(() => accepts({ ...delivery, body: `${delivery.body} ` }, older)).toThrow("No matching signature")
    }
  })

  it("is accepted by verify with either secret of a rotation, with all that its headers tell", async () => {
    const [newer, older] = [newSecret(), newSecret()]
    const delivery = await signed([newer, older])
    for (const secrets of [newer, older, [newer, older], [older, newer]]) {
      expect(await verify({ ...delivery, secrets })).toMatchObject({
        ok: true,
        event: { known: true, id, topic: "refund.completed", environment: "LIVE", attempt: 2, payload }
      })
    }
    expect(await verify({ ...delivery, secrets: newSecret() })).toMatchObject({ reason: "signature_mismatch" })
  })

  it("has a plain signature by the older secret of a rotation", async () => {
    const [newer, older] = [newSecret(), newSecret()]
    const delivery = await signed([newer, older])
    expect(await verifyServiceSignature({ ...delivery, secrets: older })).toEqual({ ok: true })
    expect(await verifyServiceSignature({ ...delivery, secrets: newer })).toMatchObject({
      reason: "signature_mismatch"
    })
  })
})

it("the service and sign make the same headers", async () => {
  const secrets = [newSecret(), newSecret()] as const
  const service = await signAsService(secrets)
  const timestamp = new Date(Number(service.headers["webhook-timestamp"]) * 1000)
  const own = await sign({
    secrets,
    topic: "refund.completed",
    payload,
    id,
    environment: "LIVE",
    attempt: 2,
    sequence: "0001",
    timestamp
  })
  const lowerCase = ({ headers }: SignedRequest) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  expect(lowerCase(own)).toEqual(lowerCase(service))
})

it.each([
  ["standardwebhooks", (secret: string) => new standardWebhooks.Webhook(secret)],
  ["svix", (secret: string) => new svix.Webhook(secret)]
])("verify accepts what the npm package %s signs, and only under the same secret", async (_name, signer) => {
  const secret = newSecret()
  const timestamp = new Date()
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(timestamp.getTime() / 1000)),
    "webhook-signature": signer(secret).sign(id, timestamp, body),
    "x-service-event": "refund.completed"
  }
  expect(await verify({ body, headers, secrets: secret })).toMatchObject({ ok: true, event: { id, payload } })
  expect(await verify({ body, headers, secrets: newSecret() })).toMatchObject({ reason: "signature_mismatch" })
})
