import { createHmac, randomBytes } from "node:crypto"
import { afterEach, describe, expect, it, vi } from "vitest"
import { nodeHmac, platformHmac, webHmac } from "../../src/signature/Hmac.js"
import { engines } from "../engines.js"

describe.each(engines)("HMAC by %s", (_, hmac) => {
  it("is what node:crypto says, for bodies and keys around the hash's block of 64 bytes and for large ones", async () => {
    for (const size of [1, 55, 56, 63, 64, 65, 119, 128, 1000, 65_537]) {
      const key = new Uint8Array(randomBytes(24 + (size % 77)))
      const body = new Uint8Array(randomBytes(size))
      const sign = hmac.key(`key ${size}`, () => key) ?? expect.fail("there is material")
      for (const encoding of ["hex", "base64"] as const) {
        const expected = createHmac("sha256", key).update("préfixe.").update(body).digest(encoding)
        expect(await sign("préfixe.", body, encoding)).toBe(expected)
      }
    }
  })

  it("imports a key once and still knows it after many others", async () => {
    const material = vi.fn(() => new Uint8Array(32))
    const sign = async () => hmac.key("kept", material)?.("", new Uint8Array(1), "hex")
    const first = await sign()
    for (let other = 0; other < 1000; other++) hmac.key(`other ${other}`, () => new Uint8Array(32).fill(other))
    expect(await sign()).toBe(first)
    expect(material.mock.calls.length).toBeLessThanOrEqual(2)
    await sign()
    await sign()
    expect(material.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it("knows 256 keys and forgets the one that came first", () => {
    const material = vi.fn(() => new Uint8Array(32))
    const add = (from: number, to: number) => {
      for (let other = from; other < to; other++) hmac.key(`later ${other}`, () => new Uint8Array(32))
    }
    hmac.key("first", material)
    add(0, 255)
    hmac.key("first", material)
    expect(material).toHaveBeenCalledTimes(1)
    add(255, 256)
    hmac.key("first", material)
    expect(material).toHaveBeenCalledTimes(2)
  })
})

describe("HMAC by WebCrypto", () => {
  afterEach(() => vi.restoreAllMocks())

  it("lets no one read its key again", () => {
    const importKey = vi.spyOn(crypto.subtle, "importKey")
    webHmac().key("key", () => new Uint8Array(32))
    expect(importKey.mock.calls.map((call) => call[3])).toEqual([false])
  })
})

describe("the accelerated HMAC", () => {
  afterEach(() => vi.restoreAllMocks())

  it("is taken if the runtime has node:crypto", () => {
    const sign = platformHmac().key("key", () => new Uint8Array(32))
    expect(sign?.("", new Uint8Array(1), "hex")).toBeTypeOf("string")
  })

  it("is left alone if the runtime has no node:crypto", () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never)
    expect(nodeHmac()).toBeUndefined()
  })

  it("is left alone if node:crypto is only half there or answers wrongly", () => {
    const getBuiltinModule = vi.spyOn(process, "getBuiltinModule")
    getBuiltinModule.mockReturnValue({} as never)
    expect(nodeHmac()).toBeUndefined()
    const wrong = { update: () => wrong, digest: () => "0".repeat(64) }
    getBuiltinModule.mockReturnValue({ createSecretKey: () => ({}), createHmac: () => wrong } as never)
    expect(nodeHmac()).toBeUndefined()
  })
})
