import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { signWith } from "../src/signature/sign.js"
import { verifyServiceSignatureWith } from "../src/signature/verifyServiceSignature.js"
import { verifyWith } from "../src/verify.js"
import { engines } from "./engines.js"

interface Vector {
  readonly name: string
  readonly secrets: ReadonlyArray<string>
  readonly id: string
  readonly timestamp: number
  readonly topic: string
  readonly body: string
  readonly serviceSignature: string
  readonly webhookSignature: string
}

const file = new URL("../../testing/src/vectors/webhook-signatures.json", import.meta.url)
const { vectors }: { readonly vectors: ReadonlyArray<Vector> } = JSON.parse(readFileSync(file, "utf8"))

it("there are known answers to compare with", () => {
  expect(vectors.length).toBeGreaterThanOrEqual(8)
})

describe.each(engines)("the known answers, with %s", (_, hmac) => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))("%s", async (_name, vector) => {
    const timestamp = new Date(vector.timestamp * 1000)
    const headers = {
      "webhook-id": vector.id,
      "webhook-timestamp": String(vector.timestamp),
      "webhook-signature": vector.webhookSignature,
      "x-service-event": vector.topic,
      "x-service-signature": vector.serviceSignature
    }
    const { body } = vector
    for (const secret of vector.secrets) {
      expect((await verifyWith(hmac, { body, headers, secrets: secret, now: timestamp })).ok).toBe(true)
    }
    const older = vector.secrets.at(-1) ?? ""
    expect(await verifyServiceSignatureWith(hmac, { body, headers, secrets: older })).toEqual({ ok: true })
    const signed = await signWith(hmac, { ...vector, payload: body, timestamp })
    expect(signed.headers).toMatchObject({
      "webhook-signature": vector.webhookSignature,
      "X-Service-Signature": vector.serviceSignature
    })
  })
})
