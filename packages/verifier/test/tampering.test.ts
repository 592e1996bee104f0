import { describe, expect, it } from "vitest"
import { verifyServiceSignatureWith } from "../src/signature/verifyServiceSignature.js"
import { verifyWith } from "../src/verify.js"
import { delivery, now, secret } from "./deliveries.js"
import { engines } from "./engines.js"

const flipped = (bytes: Uint8Array, index: number, bit: number): Uint8Array => {
  const copy = bytes.slice()
  copy[index] = (copy[index] ?? 0) ^ (1 << bit)
  return copy
}

describe.each(engines)("with %s", (_, hmac) => {
  const accepts = async (body: Uint8Array, headers: Readonly<Record<string, string>>) =>
    (await verifyWith(hmac, { body, headers, secrets: secret, now })).ok

  it("a body with any one bit flipped is refused, by both signatures", async () => {
    const signed = await delivery()
    const body = new TextEncoder().encode(signed.body)
    const { headers } = signed
    expect(await accepts(body, headers)).toBe(true)
    expect((await verifyServiceSignatureWith(hmac, { body, headers, secrets: secret })).ok).toBe(true)
    const accepted = []
    for (let index = 0; index < body.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const forged = flipped(body, index, bit)
        const plain = await verifyServiceSignatureWith(hmac, { body: forged, headers, secrets: secret })
        if (plain.ok || (await accepts(forged, headers))) accepted.push([index, bit])
      }
    }
    expect(accepted).toEqual([])
  })

  it("a body cut at any place, or with any one byte more, is refused", async () => {
    const signed = await delivery()
    const body = new TextEncoder().encode(signed.body)
    const accepted = []
    for (let length = 0; length < body.length; length++) {
      const longer = new Uint8Array(body.length + 1).fill(length % 256)
      longer.set(body)
      if ((await accepts(body.slice(0, length), signed.headers)) || (await accepts(longer, signed.headers))) {
        accepted.push(length)
      }
    }
    expect(accepted).toEqual([])
  })

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Event-Id"])(
    "%s with any one character changed, left out or doubled is refused",
    async (name) => {
      const { body, headers } = await delivery()
      const bytes = new TextEncoder().encode(body)
      const value = headers[name] ?? ""
      const accepted = []
      for (let index = 0; index < value.length; index++) {
        const [before, at, after] = [value.slice(0, index), value.charAt(index), value.slice(index + 1)]
        const others = [...new Set(["0", "A", "a", "/", "=", "", at + at, at.toLowerCase(), at.toUpperCase()])]
        for (const other of others.filter((character) => character !== at)) {
          if (await accepts(bytes, { ...headers, [name]: before + other + after })) accepted.push([index, other])
        }
      }
      expect(accepted).toEqual([])
    }
  )

  it("no part of what is signed can be moved from one field into the next", async () => {
    const { body, headers } = await delivery()
    const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]]
    const moved = [
      { id: `${id}.${timestamp}`, timestamp: "", body },
      { id, timestamp: `${timestamp}.${body.slice(0, 1)}`, body: body.slice(1) },
      { id: id.slice(0, -1), timestamp: `${id.slice(-1)}.${timestamp}`, body },
      { id: "", timestamp: `${id}.${timestamp}`, body },
      { id, timestamp: "", body: `${timestamp}.${body}` }
    ]
    for (const each of moved) {
      const changed = {
        ...headers,
        "webhook-id": each.id,
        "webhook-timestamp": each.timestamp,
        "X-Service-Event-Id": each.id
      }
      expect(await accepts(new TextEncoder().encode(each.body), changed)).toBe(false)
    }
  })
})
