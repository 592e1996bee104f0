import { assert, describe, it } from "@effect/vitest"
import { AllowedReturnUrl, allowedReturnUrl, withState } from "@surety/core/merchant/ReturnUrl"
import { Schema } from "effect"

const allowed = ["https://shop.example/orders", "https://shop.example:8443/", "https://app.shop.example/back/"]

describe("A return url", () => {
  it.each([
    ["https://shop.example/orders", "https://shop.example/orders"],
    ["https://shop.example/orders/77?x=1", "https://shop.example/orders/77?x=1"],
    ["HTTPS://SHOP.example:443/orders/a/../b", "https://shop.example/orders/b"],
    ["https://shop.example:8443/anything", "https://shop.example:8443/anything"],
    ["https://app.shop.example/back/x", "https://app.shop.example/back/x"]
  ])("is allowed at or below an allowed one: %s", (sent, normal) => {
    assert.strictEqual(allowedReturnUrl(sent, allowed), normal)
  })

  it.each([
    "http://shop.example/orders",
    "https://shop.example/",
    "https://shop.example/orders-x",
    "https://shop.example/ordersx/y",
    "https://shop.example/orders/../admin",
    "https://shop.example/orders/%2e%2e/admin",
    "https://shop.example/orders/..%2fadmin",
    "https://shop.example/orders/..%5Cadmin",
    "https://shop.example/orders\\..\\..\\admin",
    "https://shop.example.evil.example/orders",
    "https://evil.example/https://shop.example/orders",
    "https://shop.example@evil.example/orders",
    "https://shop.example:444/orders",
    "https://sub.shop.example/orders",
    "https://ada@shop.example/orders",
    "https://shop.example/orders#part",
    "https://app.shop.example/back",
    "//shop.example/orders",
    "/orders",
    "https:shop.example/orders",
    "https:\\\\shop.example/orders",
    "https:///shop.example/orders",
    " https://shop.example/orders",
    "https://shop.example/orders\n",
    "https://shop.ex\tample/orders",
    "javascript:alert(1)//https://shop.example/orders",
    ""
  ])("is refused anywhere else: %s", (sent) => {
    assert.isUndefined(allowedReturnUrl(sent, allowed))
  })

  it("is allowed nowhere without a list", () => {
    assert.isUndefined(allowedReturnUrl("https://shop.example/orders", []))
  })

  it("gets the merchant's state, encoded, in place of an earlier one, and nothing else", () => {
    assert.strictEqual(
      withState("https://shop.example/o?state=old&b=2", "a b&c=#é"),
      "https://shop.example/o?state=a+b%26c%3D%23%C3%A9&b=2"
    )
    assert.strictEqual(withState("https://shop.example/o?state=old", undefined), "https://shop.example/o?state=old")
  })
})

describe("An allowed return url", () => {
  const is = Schema.is(AllowedReturnUrl)

  it("is an https origin with a path", () => {
    for (const url of allowed) assert.isTrue(is(url), url)
    for (const url of [
      "http://shop.example",
      "https://shop.example/?x",
      "https://shop.example/?",
      "https://shop.example/#",
      "https://a:b@shop.example",
      "shop.example",
      "https:\\\\shop.example",
      " https://shop.example",
      `https://shop.example/${"x".repeat(2048)}`
    ]) {
      assert.isFalse(is(url), url)
    }
  })
})
