import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import { NotSubmitted } from "@surety/embed"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Logger, Redacted } from "effect"
import { type HostKycProvider, providerOf, understood } from "../../src/host/HostKycProvider.js"
import { untyped } from "./misbehavingPart.js"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const submission = { reference, kind: "bvn", id: Redacted.make("22222222222"), validation: {} } as const
const query = { reference, kind: "bvn", providerReference: "p-1" } as const
const code = Redacted.make("135790")

const providing = (methods: Partial<HostKycProvider>) =>
  providerOf({
    name: "shop",
    submit: async () => ({ status: "PENDING", providerReference: "p-1" }),
    lookup: async () => undefined,
    ...methods
  })

/** Runs the call, and returns what the log says of the provider's failure. */
const consequenceOf = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown>) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => lines.push(String(message)))
  yield* Effect.exit(call).pipe(Effect.provide(Logger.layer([logger])))
  assert.lengthOf(lines, 1)
  return lines
    .join()
    .replace(/^The host's kyc failed; /u, "")
    .replace(/,.*$/u, "")
})

describe("The log of a host's KYC provider that fails", () => {
  it.effect("says what follows from the failure", () =>
    Effect.gen(function* () {
      const rejects = () => Promise.reject(new Error("socket hang up"))
      const declines = () => Promise.reject(new NotSubmitted("rate_limited"))
      const junk = untyped(async () => ({ status: "SURE" }))
      const unknown = "the verification's outcome is unknown"
      const unsent = "nothing was submitted"
      const refused = "the callback is refused with 401"
      const callback = FakeKycProvider.callbackOf(reference, "verified")
      for (const [call, consequence] of [
        [providing({ submit: rejects }).submit(submission), unknown],
        [providing({ submit: junk }).submit(submission), unknown],
        [providing({ submit: declines }).submit(submission), unsent],
        [providing({ lookup: rejects }).lookup(query), unknown],
        [providing({ lookup: declines }).lookup(query), unknown],
        [providing({ submitCode: rejects }).submitCode(query, code), unknown],
        [providing({ submitCode: declines }).submitCode(query, code), unsent],
        [providing({ callback: rejects }).callback(callback), refused],
        [providing({ callback: junk }).callback(callback), refused],
        [understood({ provider: "shop", operation: "providerCalled", given: [] }, {}), "the call changes nothing"]
      ] as const) {
        assert.strictEqual(yield* consequenceOf(call), consequence)
      }
    })
  )
})
