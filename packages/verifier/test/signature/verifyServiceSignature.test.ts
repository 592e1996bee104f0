import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { verifyServiceSignature, verifyServiceSignatureWith } from "../../src/signature/verifyServiceSignature.js"
import { delivery, otherSecret, secret } from "../deliveries.js"
import { engines } from "../engines.js"

describe.each(engines)("verifyServiceSignature with %s", (_, hmac) => {
  const body = '{"refundId":"refund_1"}'
  const signature = (key: string) => createHmac("sha256", key).update(body).digest("hex")
  const check = (value: string, secrets: string | ReadonlyArray<string>) =>
    verifyServiceSignatureWith(hmac, { body, headers: { "X-Service-Signature": value }, secrets })

  it("accepts the hex HMAC-SHA256 of the raw body under the whole secret as it was shown", async () => {
    expect(await check(signature(secret), secret)).toEqual({ ok: true })
    expect(await check(signature("a platform's own secret"), "a platform's own secret")).toEqual({ ok: true })
  })

  it("accepts any of several secrets", async () => {
    expect(await check(signature(secret), [otherSecret, secret])).toEqual({ ok: true })
    expect(await check(signature(secret), [secret, otherSecret])).toEqual({ ok: true })
    expect(await check(signature(secret), [otherSecret])).toMatchObject({ reason: "signature_mismatch" })
  })

  it("keeps the keys of its two schemes apart", async () => {
    const signed = await delivery()
    const input = { body: signed.body, headers: signed.headers, secrets: secret }
    expect(await verifyServiceSignatureWith(hmac, input)).toEqual({ ok: true })
    const decoded = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
      .update(body)
      .digest("hex")
    expect(await check(decoded, secret)).toMatchObject({ reason: "signature_mismatch" })
  })

  it.each([
    ["upper case", (hex: string) => hex.toUpperCase()],
    ["base64", (hex: string) => Buffer.from(hex, "hex").toString("base64")],
    ["a scheme in front", (hex: string) => `sha256=${hex}`],
    ["half of it", (hex: string) => hex.slice(0, 32)],
    ["more after it", (hex: string) => `${hex}00`]
  ])("refuses another form: %s", async (_what, change) => {
    expect(await check(change(signature(secret)), secret)).toMatchObject({ reason: "signature_mismatch" })
  })

  it("names a missing header, a parsed body and a missing secret", async () => {
    const headers = { "x-service-signature": signature(secret) }
    const parsed = JSON.parse(body)
    const reasons = [
      await verifyServiceSignatureWith(hmac, { body, headers: {}, secrets: secret }),
      await verifyServiceSignatureWith(hmac, { body: parsed, headers, secrets: secret }),
      await verifyServiceSignatureWith(hmac, { body, headers, secrets: "" }),
      await verifyServiceSignatureWith(hmac, { body, headers, secrets: `${secret}\n` }),
      await verifyServiceSignatureWith(hmac, { body: "", headers, secrets: secret })
    ].map((result) => (result.ok ? "ok" : result.reason))
    expect(reasons).toEqual(["missing_headers", "body_not_raw", "invalid_secret", "invalid_secret", "body_not_raw"])
  })

  it("says that a secret has white space around it", async () => {
    for (const secrets of [`${secret}\n`, ` ${secret}`]) {
      expect(await check(signature(secret), secrets)).toHaveProperty("message", expect.stringContaining("white space"))
    }
  })

  it("reads the platform's own way to compute it if none is given", async () => {
    const headers = { "X-Service-Signature": signature(secret) }
    expect(await verifyServiceSignature({ body, headers, secrets: secret })).toEqual({ ok: true })
  })
})
