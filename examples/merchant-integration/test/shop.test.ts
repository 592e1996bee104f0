import { createClient } from "@surety/client"
import { expect, it } from "vitest"
import { makeOrders } from "../src/Orders.ts"
import { makeShop } from "../src/Shop.ts"

const pending = {
  reference: "kyc_1",
  kind: "bvn",
  environment: "TEST",
  status: "PENDING",
  idempotencyKey: "person/one"
}

/** Builds a shop whose service accepts a verification and responds to each read with the result of `read`. */
const shopOf = (read: () => Response) =>
  makeShop(
    createClient({
      apiKey: "sk_test_1",
      baseUrl: "https://pay.example",
      maxRetries: 0,
      fetch: async (_, init) => (init?.method === "POST" ? Response.json(pending, { status: 202 }) : read())
    }),
    makeOrders()
  )

it("says that a verification is pending if its submission was accepted and its result cannot be read", async () => {
  const refused = () =>
    new Response(JSON.stringify({ type: "about:blank", title: "Unauthorized", status: 401, code: "invalid_api_key" }), {
      status: 401,
      headers: { "content-type": "application/problem+json" }
    })
  const answer = await shopOf(refused)("PUT", "/customers/person/verifications/one", { bvn: "22222222222" })
  expect(answer).toMatchObject({ status: 200, body: { status: "PENDING" } })
})

it("says that a return may have been done if one attempt had no response and the next one is refused unread", async () => {
  const responses = [
    () => Promise.reject(new TypeError("terminated")),
    async () =>
      new Response(JSON.stringify({ type: "about:blank", title: "Too many", status: 429, code: "rate_limited" }), {
        status: 429,
        headers: { "content-type": "application/problem+json", "retry-after": "600" }
      })
  ]
  const client = createClient({
    apiKey: "sk_test_1",
    baseUrl: "https://pay.example",
    maxRetries: 1,
    fetch: () => responses.shift()?.() ?? Promise.reject(new Error("called too often"))
  })
  const answer = await makeShop(client, makeOrders())("PUT", "/orders/1/returns/one", { kobo: "100" })
  expect(answer).toMatchObject({ status: 503, body: { detail: "It may have been done: send the same again." } })
})
