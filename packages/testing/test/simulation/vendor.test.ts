import { assert, it } from "@effect/vitest"
import * as Fresh from "@surety/testing/FreshIds"
import { makeVendor } from "@surety/testing/simulation/host/SimulatedVendor"
import { World } from "@surety/testing/simulation/world/World"
import { DateTime, Effect, Redacted } from "effect"

it.effect("the simulation's vendor has verified no one before it says so", () =>
  Effect.gen(function* () {
    const met = new Set<string>()
    for (let seed = 1; seed <= 40; seed += 1) {
      const world = new World({ seed, calm: new Set(), records: false })
      const { hasVerified, say, service } = makeVendor(world)
      const reference = Fresh.verificationId(DateTime.makeUnsafe(world.nowMillis))
      const query = { reference, kind: "bvn", providerReference: undefined } as const
      const heard = (tag: string): void => {
        met.add(tag)
        assert.strictEqual(hasVerified(reference), tag === "Verified", tag)
      }
      heard((yield* service.submit({ reference, kind: "bvn", id: Redacted.make("12345678901"), validation: {} }))._tag)
      while (say(reference)?._tag === "RequiresAction") {
        world.agenda.leap(60_000)
        heard((yield* service.submitCode(query, Redacted.make("123456")))._tag)
      }
      world.agenda.leap(300_000_000)
      heard(say(reference)?._tag ?? "none")
    }
    assert.includeMembers([...met], ["RequiresAction", "Pending", "Verified", "Failed"])
  })
)
