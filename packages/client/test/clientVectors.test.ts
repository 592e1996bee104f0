import { expect, it } from "vitest"
import { amountOf, amountOfMinor, minorOf } from "../src/Amount.js"
import { readBaseUrl } from "../src/call/BaseUrl.js"
import { readIdempotencyKey } from "../src/call/CallOptions.js"
import { readSecretKey } from "../src/call/SecretKey.js"
import { createClient } from "../src/createClient.js"
import { clientVectors } from "./clientVectors.js"

it("the vectors that other languages read are these", async () => {
  const json = `${JSON.stringify(clientVectors, null, 1)}\n`
  await expect(json).toMatchFileSnapshot("../../../sdks/vectors/client.generated.json")
})

const orNull = (make: () => string): string | null => {
  try {
    return make()
  } catch {
    return null
  }
}

it.each(clientVectors.amounts)("the amount $decimal is sent as $number", ({ decimal, number }) => {
  expect(orNull(() => String(amountOf(decimal ?? "")))).toBe(number)
})

it.each(clientVectors.minors)("$minor minor units are $number", ({ decimals, minor, number }) => {
  expect(String(amountOfMinor(BigInt(minor), decimals))).toBe(number)
  expect(minorOf(Number(number), decimals)).toBe(BigInt(minor))
})

it.each(clientVectors.baseUrls)("the base address $given is read as $base", ({ base, given }) => {
  expect(orNull(() => readBaseUrl(given))).toBe(base)
})

it.each(clientVectors.idempotencyKeys)("the idempotency key $key is valid: $valid", ({ key, valid }) => {
  expect(orNull(() => readIdempotencyKey(String(key))) !== null).toBe(valid)
})

it.each(clientVectors.apiKeys)("the API key $key is valid: $valid", ({ key, valid }) => {
  expect(orNull(() => readSecretKey(key)) !== null).toBe(valid)
})

it.each(clientVectors.segments)("the id $id is $segment in a path", async ({ id, segment }) => {
  const urls: Array<string> = []
  const fetch = async (url: string): Promise<Response> => {
    urls.push(url)
    return Response.json({})
  }
  const client = createClient({ apiKey: "sk_test_abc", baseUrl: "http://localhost", fetch })
  await client.refunds.get(id ?? "").catch(() => {})
  expect(urls).toEqual(segment === null ? [] : [`http://localhost/v1/refunds/${segment}`])
})
