import { expect, it } from "vitest"
import { verifyServiceSignature } from "../../src/signature/verifyServiceSignature.js"
import { newSecret, samplePayloads, sign } from "../../src/testing.js"
import { verify } from "../../src/verify.js"

it("makes every header that the service sends", async () => {
  const { body, headers } = await sign({
    secrets: newSecret(),
    topic: "transaction.settled",
    payload: samplePayloads["transaction.settled"],
    environment: "LIVE",
    attempt: 3
  })
  expect(JSON.parse(body)).toEqual(samplePayloads["transaction.settled"])
  expect(headers).toEqual({
    "content-type": "application/json",
    "user-agent": "Service-Webhooks/1.0",
    "X-Service-Signature": expect.stringMatching(/^[0-9a-f]{64}$/u),
    "X-Service-Event": "transaction.settled",
    "X-Service-Event-Id": expect.stringMatching(/^event_[0-7][0-9a-hjkmnp-tv-z]{25}$/u),
    "X-Service-Event-Version": "1",
    "X-Service-Sequence": expect.stringMatching(/^[0-9a-f]{56}$/u),
    "X-Service-Environment": "LIVE",
    "X-Service-Delivery-Attempt": "3",
    "webhook-id": headers["X-Service-Event-Id"],
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/u),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/u)
  })
})

it("gives each delivery an event id of its own", async () => {
  const secrets = newSecret()
  const ids = new Set<string | undefined>()
  for (let delivery = 0; delivery < 100; delivery++) {
    ids.add((await sign({ secrets, topic: "refund.completed", payload: "{}" })).headers["webhook-id"])
  }
  expect(ids.size).toBe(100)
})

it("signs as in a rotation's overlap: both verify, and X-Service-Signature is the older one's", async () => {
  const [newer, older] = [newSecret(), newSecret()]
  const { body, headers } = await sign({ secrets: [newer, older], topic: "refund.completed", payload: "{}" })
  for (const secrets of [newer, older]) expect((await verify({ body, headers, secrets })).ok).toBe(true)
  expect((await verifyServiceSignature({ body, headers, secrets: older })).ok).toBe(true)
  expect((await verifyServiceSignature({ body, headers, secrets: newer })).ok).toBe(false)
})

it("refuses to sign with a secret of another form", async () => {
  await expect(sign({ secrets: "secret", topic: "refund.completed", payload: "{}" })).rejects.toThrow("whsec_")
})

it("makes secrets of the form that the service issues", () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
  expect(newSecret()).not.toBe(newSecret())
})

it("takes a secret of 24 to 64 bytes, however its base64 is padded, but no shorter or longer one", async () => {
  const isTaken = async (size: number) => {
    const secrets = `whsec_${btoa("\xff".repeat(size))}`
    const { body, headers } = await sign({ secrets, topic: "refund.completed", payload: "{}" }).catch(() => unsigned)
    return (await verify({ body, headers, secrets })).ok
  }
  const unsigned = { body: "", headers: {} }
  for (const size of [24, 25, 26, 27, 32, 63, 64]) expect(await isTaken(size), `${size} bytes`).toBe(true)
  for (const size of [22, 23, 65, 66, 67]) expect(await isTaken(size), `${size} bytes`).toBe(false)
})
