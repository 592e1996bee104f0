import { assert, describe, it } from "@effect/vitest"
import { countedRequests } from "@surety/core/consent/request/DataRequest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { PersonRights } from "@surety/core/person/PersonRights"
import { Effect, Metric } from "effect"
import * as ConsentSandbox from "../consent/ConsentSandbox.js"
import * as Sandbox from "../Sandbox.js"

const cancelledRequests = Effect.map(
  Metric.value(Metric.withAttributes(countedRequests, { environment: "TEST", outcome: "cancelled" })),
  ({ count }) => count
)

describe("An erasure", () => {
  it.effect("counts the pending data requests that it cancels, once", () =>
    Effect.gen(function* () {
      const requests = yield* DataRequests
      const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
      const { serviceId } = consumer
      for (const [key, requestedFields] of [
        ["first", ["email"]],
        ["second", ["country"]]
      ] as const) {
        const form = ConsentSandbox.askingFor({ serviceId, requestedFields })
        yield* requests.create(scope, Sandbox.key(key), form)
      }
      const before = yield* cancelledRequests
      const erasure = (yield* PersonRights).erase({
        environment: "TEST",
        serviceId,
        actor: "ada",
        reason: "Asked by letter"
      })
      yield* erasure
      assert.strictEqual((yield* cancelledRequests) - before, 2)
      yield* Effect.exit(erasure)
      assert.strictEqual((yield* cancelledRequests) - before, 2)
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
