import { expect, it } from "vitest"
import { createClientWith } from "../src/createClient.js"
import { type Client, UsageError } from "../src/index.js"

const sent: Array<string> = []

const client = createClientWith(
  {
    fetch: async (url) => {
      sent.push(url)
      return new Response(JSON.stringify({ data: [] }), { headers: { "content-type": "application/json" } })
    },
    elapsedMillis: () => 0,
    nowMillis: () => 0,
    random: () => 1,
    newId: () => "id_1"
  },
  { apiKey: "sk_test_1", baseUrl: "https://pay.example" }
)

/** A request as untyped code builds it, in which a value was lost. */
const lost = (request: Readonly<Record<string, unknown>>): never => request as never

it.each<[string, (client: Client) => Promise<unknown>]>([
  ["fields: all of a person's", ({ identity }) => identity.read(lost({ service_id: "SR1", fields: undefined }))],
  ["fields", ({ identity }) => identity.read({ service_id: "SR1", fields: [] })],
  ["endpoint_id: every endpoint", ({ events }) => events.resend("event_1", lost({ endpoint_id: undefined }))],
  ["duration: the longest", ({ dataRequests }) => dataRequests.create(lost({ duration: undefined }))],
  ["fields: all requested", ({ testHelpers }) => testHelpers.approveDataRequest("d", lost({ fields: undefined }))],
  ["transaction_id: every payment", ({ refunds }) => refunds.list(lost({ transaction_id: undefined }))],
  ["service_id: every person", ({ grants }) => grants.list(lost({ service_id: undefined }))],
  ["service_id: every person", ({ dataRequests }) => dataRequests.list(lost({ service_id: undefined }))],
  ["topic: every topic", ({ events }) => events.list(lost({ topic: undefined }))],
  ["status: every status", ({ requests }) => requests.list(lost({ status: undefined }))],
  ["limit", ({ refunds }) => refunds.list({ limit: Number.NaN })],
  ["amount", ({ refunds }) => refunds.create({ transaction_id: "payment_1", amount: Number.NaN })],
  ["description", ({ refunds }) => refunds.create(lost({ items: [{ amount: 1, description: undefined }] }))],
  ["advance_seconds", ({ testHelpers }) => testHelpers.advanceClock({ advance_seconds: Number.POSITIVE_INFINITY })]
])("a lost value of %s is not sent", async (what, call) => {
  sent.length = 0
  const error: unknown = await Promise.resolve(call(client)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toContain(what.split(":")[0])
  expect(sent).toEqual([])
})

it("a page without a cursor, or without a limit, is the first page", async () => {
  sent.length = 0
  await client.refunds.list(lost({ cursor: undefined, limit: undefined }))
  expect(sent).toEqual(["https://pay.example/v1/refunds"])
})
