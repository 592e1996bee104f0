import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { spellingsOf } from "@surety/testing/hostile/spellings"
import { describe, expect, it } from "vitest"

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

const byteOf = (code: number): string => code.toString(16).padStart(2, "0")

describe("A path", () => {
  it.each([
    "/v1/whoami",
    "/v1/refunds/refund_01",
    "/v1/kyc/verifications/..a",
    "/.well-known",
    "/a.b/c..d/...",
    "/%C3%A9/%20/%3A/%25/%255B/%00/%ff",
    "/a:b@c!$&'()*+,="
  ])("is plain: %s", (path) => {
    expect(isPlainPath(path)).toBe(true)
  })

  it.each(["", "*", "x", "/", "http://x/v1"])("is not: %j", (path) => {
    expect(isPlainPath(path)).toBe(false)
  })

  it("has no unreserved character and no slash encoded, and may have every other", () => {
    for (let code = 0; code <= 255; code += 1) {
      const character = String.fromCharCode(code)
      const isPlain = !unreserved.includes(character) && character !== "/"
      expect([code, isPlainPath(`/a%${byteOf(code)}b`)]).toEqual([code, isPlain])
      expect([code, isPlainPath(`/a%${byteOf(code).toUpperCase()}`)]).toEqual([code, isPlain])
    }
  })

  it.each(["/v1/whoami", "/merchants/merchant_01/api-keys", "/docs"])("has one spelling: %s", (path) => {
    expect(isPlainPath(path)).toBe(true)
    const spellings = spellingsOf(path)
    expect(spellings.length).toBeGreaterThan(12)
    expect(spellings.filter(isPlainPath)).toEqual([])
  })

  it.each([
    ["/a/b?c=/d", "/a/b"],
    ["http://host:80/a?b", "/a"],
    ["http://host", ""],
    ["http://host?/a", ""],
    ["//host/a", "//host/a"],
    ["/a#b?c", "/a#b"],
    ["*", "*"]
  ])("is what stands before the query, and behind an origin: %s", (target, path) => {
    expect(pathOf(target)).toBe(path)
  })
})
