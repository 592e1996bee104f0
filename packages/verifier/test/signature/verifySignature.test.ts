import { expect, it } from "vitest"
import { verifySignature } from "../../src/signature/verifySignature.js"
import { delivery, now, secret } from "../deliveries.js"

it("takes a genuine delivery, whose body it leaves unread", async () => {
  const { body, headers } = await delivery()
  const result = await verifySignature({ body, headers, secrets: secret, now })
  expect(result).toMatchObject({ ok: true, id: headers["webhook-id"] })
  expect(result.ok && new TextDecoder().decode(result.body)).toBe(body)
})

it("refuses one whose body is another", async () => {
  const { body, headers } = await delivery()
  expect(await verifySignature({ body: `${body} `, headers, secrets: secret, now })).toMatchObject({
    ok: false,
    reason: "signature_mismatch"
  })
})
