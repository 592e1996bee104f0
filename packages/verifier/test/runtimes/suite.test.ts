import { expect, it } from "vitest"
import * as verifier from "../../src/index.js"
import * as testing from "../../src/testing.js"
import { vectors } from "./bundle.js"
import type { Subject } from "./suite/Case.js"
import { runSuite, suite } from "./suite/Suite.js"

const genuine: Subject = { ...verifier, ...testing }
const claimsAlways: verifier.DedupeStore = {
  claim: () => ({ state: "claimed", complete: () => {}, release: () => {} })
}

it("the genuine package passes every case", async () => {
  const { passed, failed } = await runSuite(suite(vectors), genuine)
  expect(failed).toEqual([])
  expect(passed).toEqual(suite(vectors).map(({ name }) => name))
})

it.each<[string, Partial<Subject>]>([
  ["refuses everything", { verify: async () => ({ ok: false, reason: "signature_mismatch", message: "" }) }],
  [
    "gives time no bound",
    { verify: (input) => verifier.verify({ ...input, toleranceSeconds: Number.POSITIVE_INFINITY }) }
  ],
  [
    "reads the first secret only",
    { verify: (input) => verifier.verify({ ...input, secrets: [input.secrets ?? ""].flat()[0] }) }
  ],
  ["tidies the body", { verify: (input) => verifier.verify({ ...input, body: String(input.body).trim() }) }],
  [
    "throws at what is no header",
    {
      verify: (input) => (typeof input.headers === "object" ? verifier.verify(input) : Promise.reject(new TypeError()))
    }
  ],
  [
    "believes every signed delivery",
    { verify: async (input) => verifier.verify({ ...input, ...(await testing.sign(anyDelivery)), secrets: anySecret }) }
  ],
  ["believes every plain signature", { verifyServiceSignature: async () => ({ ok: true }) }],
  ["gives a queue an empty body", { verifySignature: (input) => verifier.verifySignature({ ...input, body: "" }) }],
  ["never deduplicates", { createHandler: (options) => verifier.createHandler({ ...options, store: claimsAlways }) }],
  ["never forgets", { memoryStore: (options) => verifier.memoryStore({ ...options, now: () => 0 }) }],
  ["has one secret for all", { newSecret: () => anySecret }],
  [
    "signs with the newest secret alone",
    { sign: (input) => testing.sign({ ...input, secrets: [input.secrets ?? ""].flat()[0] }) }
  ]
])("a package that %s does not pass", async (_what, broken) => {
  const { failed } = await runSuite(suite(vectors), { ...genuine, ...broken })
  expect(failed).not.toEqual([])
})

const anySecret = testing.newSecret()
const anyDelivery = { secrets: anySecret, topic: "refund.completed", payload: '{"refundId":"refund_1"}' }
