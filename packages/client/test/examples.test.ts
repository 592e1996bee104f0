import { expect, it } from "vitest"
import { examplesOf, runExample, typeErrorsOf } from "../../../tests/examples/Examples.js"
import * as client from "../src/index.js"
import { baseUrl, makeClient, makeKey, makePayment, makeService } from "./Service.js"

const examples = examplesOf("client")
const service = makeService()

it("every call of a client has an example", () => {
  expect(examples.filter(({ place }) => place.startsWith("resources/"))).toHaveLength(28)
})

it("the examples' types are right under strict settings", async () => {
  expect(await typeErrorsOf("client", examples, 'declare const client: import("@surety/client").Client')).toBe("")
})

it.each(examples)("the example at $place runs", async (example) => {
  // Disables retries, since an error that an example catches would otherwise take seconds.
  const ours = await makeClient(service, { maxRetries: 0 })
  const { transactionId } = await makePayment(ours)
  await ours.refunds.create({ transaction_id: transactionId, amount: 1 })
  const createClient = (options: client.ClientOptions) => client.createClient({ ...options, fetch: service.fetch })
  const process = { env: { SURETY_API_KEY: await makeKey(service), SURETY_URL: baseUrl } }
  const printed = await runExample(
    example,
    { "@surety/client": { ...client, createClient } },
    // An example may create its own client.
    { process, ...(example.code.includes("const client =") ? {} : { client: ours }) }
  )
  expect(printed.join("\n")).not.toContain("undefined")
})
