import { assert, describe, it } from "@effect/vitest"
import { callHost } from "@surety/core/host/callHost"
import { readNothing } from "@surety/core/host/HostAnswer"
import { Duration, Effect } from "effect"

describe("A call to a host's part", () => {
  it.effect("asks what its error may quote only once the part has failed, and masks it", () =>
    Effect.gen(function* () {
      let asked = 0
      const call = {
        part: "signIn" as const,
        operation: "admit",
        read: readNothing,
        timeout: Duration.seconds(1),
        unavailable: (cause: Error) => cause,
        consequence: "the visitor is shown nothing",
        given: () => {
          asked += 1
          return ["secret-cookie"]
        }
      }
      yield* callHost(call, () => Effect.void)
      assert.strictEqual(asked, 0)
      const failure = yield* Effect.flip(callHost(call, () => Effect.fail(new Error("no session for secret-cookie"))))
      assert.strictEqual(asked, 1)
      assert.strictEqual(failure.message, "no session for <redacted>")
    })
  )
})
