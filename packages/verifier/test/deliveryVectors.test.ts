import { describe, expect, it } from "vitest"
import { verifyWith } from "../src/verify.js"
import { bytesOf, type DeliveryVector, deliveryVectors } from "./deliveryVectors.js"
import { engines } from "./engines.js"

const description =
  "Deliveries, and what verify makes of each: a reason, or an event. Every language's verifier passes them. Generated from packages/verifier/test/deliveryVectors.ts."

it("the vectors that other languages read are these", async () => {
  const json = `{"description":${JSON.stringify(description)},"vectors":[\n${deliveryVectors.map((each) => JSON.stringify(each)).join(",\n")}\n]}\n`
  await expect(json).toMatchFileSnapshot("../../../sdks/vectors/deliveries.generated.json")
})

const nodeHeaders = (headers: DeliveryVector["headers"]): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    [...Map.groupBy(headers, ([name]) => name.toLowerCase())].map(([name, fields]) => {
      const values = fields.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] ?? "") : values]
    })
  )

describe.each(engines)("the deliveries, with %s", (_, hmac) => {
  it.each(deliveryVectors.map((vector) => [vector.name, vector] as const))("%s", async (_name, vector) => {
    const { body, event, headers, now, reason, secrets, toleranceSeconds } = vector
    const result = await verifyWith(hmac, {
      body: bytesOf(body),
      headers: nodeHeaders(headers),
      secrets,
      now: new Date(now * 1000),
      ...(toleranceSeconds === undefined ? {} : { toleranceSeconds })
    })
    if (reason !== undefined) {
      expect(result).toMatchObject({ ok: false, reason })
    } else {
      if (!result.ok) return expect.fail(result.reason)
      const { attempt = null, environment = null, id, known, payload, test, timestamp, topic } = result.event
      const found = { id, topic, known, environment, test, attempt, timestamp: timestamp.getTime() / 1000 }
      const { amount, refundId, ...expected } = event ?? expect.fail("the vector says nothing of its event")
      expect(found).toEqual(expected)
      if (refundId !== undefined) expect(payload).toHaveProperty("refundId", refundId)
      if (amount !== undefined) expect(payload).toHaveProperty("amount", Number(amount))
    }
  })
})
