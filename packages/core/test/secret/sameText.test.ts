import { sameText } from "@surety/core/secret/sameText"
import { describe, expect, it } from "vitest"

const secret = "operator-token-0123456789"

describe("sameText", () => {
  it("accepts the secret itself", () => {
    expect(sameText(secret, secret)).toBe(true)
    expect(sameText(secret, `${secret}`)).toBe(true)
  })

  it("rejects every prefix, and the secret with anything before, after or inside", () => {
    for (let length = 0; length < secret.length; length += 1) {
      expect(sameText(secret, secret.slice(0, length))).toBe(false)
      expect(sameText(secret, secret.slice(length + 1))).toBe(false)
      expect(sameText(secret, `${secret.slice(0, length)}\0${secret.slice(length)}`)).toBe(false)
    }
    for (const extra of [" ", "\0", "x", secret, secret.slice(-1), "\u0100"]) {
      expect(sameText(secret, secret + extra)).toBe(false)
      expect(sameText(secret, extra + secret)).toBe(false)
    }
  })

  it("rejects a change of any one character, in any of its bits", () => {
    for (let index = 0; index < secret.length; index += 1) {
      for (let bit = 0; bit < 16; bit += 1) {
        const changed = String.fromCharCode(secret.charCodeAt(index) ^ (1 << bit))
        expect(sameText(secret, secret.slice(0, index) + changed + secret.slice(index + 1))).toBe(false)
      }
    }
  })

  it("matches an empty text with itself alone", () => {
    expect(sameText("", "")).toBe(true)
    expect(sameText("", "x")).toBe(false)
    expect(sameText("x", "")).toBe(false)
  })
})
