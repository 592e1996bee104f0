import { assert, describe, it } from "@effect/vitest"
import { Consumers } from "@surety/core/consumer/Consumers"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { DateTime, Effect, Redacted } from "effect"
import * as Sandbox from "../Sandbox.js"

describe("A right that a person asks for", () => {
  it.effect("is sent to the platform once, without the person's note", () =>
    Effect.gen(function* () {
      const feed = yield* PlatformFeed
      yield* feed.begin
      const consumers = yield* Consumers
      const person = yield* consumers.create({ environment: "LIVE", phoneVerified: false }, undefined)
      const requests = yield* RightsRequests
      const { environment, serviceId } = person
      const asked = { environment, serviceId, kind: "RECTIFY", note: Redacted.make("spelt Adaeze") } as const
      const request = yield* requests.record(asked)
      yield* requests.record(asked)
      const now = yield* DateTime.now
      const leasedUntil = DateTime.add(now, { minutes: 1 })
      const streams = yield* feed.claim({ now, leasedUntil, limit: 9, perStream: 9 })
      const told = streams.flatMap(({ events }) => events)
      assert.deepStrictEqual(
        told.map(({ body, merchantId, topic }) => ({ merchantId, topic, payload: JSON.parse(body) })),
        [
          {
            merchantId: undefined,
            topic: "person.rights_requested",
            payload: {
              requestId: request.id,
              serviceId,
              userId: person.userId,
              right: "RECTIFY",
              requestedAt: DateTime.formatIso(request.askedAt),
              dueAt: DateTime.formatIso(request.dueAt)
            }
          }
        ]
      )
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
