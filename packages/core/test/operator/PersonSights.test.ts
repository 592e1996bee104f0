import { assert, describe, it } from "@effect/vitest"
import { Consumers } from "@surety/core/consumer/Consumers"
import { OperatorSessionId } from "@surety/core/Ids"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { PersonSights } from "@surety/core/operator/PersonSights"
import { PersonRights } from "@surety/core/person/PersonRights"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

const session = OperatorSessionId.make("session_01h455vb4pex5vsknk084sn02q")
const otherSession = OperatorSessionId.make("session_01h455vb4pex5vsknk084sn02r")

describe("A look at a person's details", () => {
  it.effect("is kept with its reason, and lasts ten minutes, for that session and that person", () =>
    Effect.gen(function* () {
      const sights = yield* PersonSights
      const consumers = yield* Consumers
      const { serviceId } = yield* consumers.create({ environment: "LIVE", phoneVerified: false }, undefined)
      const other = yield* consumers.create({ environment: "LIVE", phoneVerified: false }, undefined)
      const sight = { session, operator: "ada", environment: "LIVE" as const, serviceId }
      assert.isTrue(Option.isNone(yield* sights.until(sight)))
      const until = yield* sights.look(sight, "Caller asked for a correction")
      assert.deepStrictEqual(yield* sights.until(sight), Option.some(until))
      for (const stranger of [
        { ...sight, session: otherSession },
        { ...sight, operator: "obi" },
        { ...sight, environment: "TEST" as const },
        { ...sight, serviceId: other.serviceId }
      ]) {
        assert.isTrue(Option.isNone(yield* sights.until(stranger)))
      }
      yield* TestClock.adjust("9 minutes")
      assert.isTrue(Option.isSome(yield* sights.until(sight)))
      yield* TestClock.adjust("61 seconds")
      assert.isTrue(Option.isNone(yield* sights.until(sight)))
      const actions = yield* OperatorActions
      const filter = {
        actor: undefined,
        kind: "person.looked_at" as const,
        target: undefined,
        merchantId: undefined,
        serviceId,
        since: undefined,
        until: undefined
      }
      const { data } = yield* actions.list(filter, { limit: 10, cursor: undefined })
      assert.deepStrictEqual(
        data.map(({ actor, reason }) => `${actor}: ${reason}`),
        ["ada: Caller asked for a correction"]
      )
      const rights = yield* PersonRights
      yield* rights.erase({ environment: "LIVE", serviceId, actor: "ada", reason: "asked" })
      assert.strictEqual((yield* Effect.flip(sights.look(sight, "again")))._tag, "PersonNotFound")
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
