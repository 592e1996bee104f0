import { assert } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { Environment } from "@surety/core/Environment"
import * as PlatformEvent from "@surety/core/event/PlatformEvent"
import type { RightsRequestId } from "@surety/core/Ids"
import { type RightsRequest, type RightsRequestKind, timeToAnswer } from "@surety/core/person/RightsRequest"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { DateTime, Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as PageWalk from "../PageWalk.js"

/** A rights request of the consumer, not yet stored. */
export const of = (
  { environment, userId, serviceId }: Consumer,
  kind: RightsRequestKind,
  askedAt: DateTime.Utc
): RightsRequest => ({
  id: Fresh.rightsRequestId(askedAt),
  environment,
  userId,
  serviceId,
  kind,
  status: "OPEN",
  askedAt,
  dueAt: DateTime.addDuration(askedAt, timeToAnswer)
})

/** Its event for the platform. */
export const eventOf = ({
  askedAt,
  dueAt,
  environment,
  id: requestId,
  kind: right,
  serviceId,
  userId
}: RightsRequest): PlatformEvent.PlatformEvent =>
  PlatformEvent.make({
    id: Fresh.eventId(askedAt),
    merchantId: undefined,
    environment,
    topic: "person.rights_requested",
    occurredAt: askedAt,
    payload: {
      requestId,
      serviceId,
      userId,
      right,
      requestedAt: DateTime.formatIso(askedAt),
      dueAt: DateTime.formatIso(dueAt)
    }
  })

/** The stored request. */
export const found = Effect.fnUntraced(function* (environment: Environment, id: RightsRequestId) {
  const store = yield* RightsRequestStore
  const all = yield* PageWalk.all((page) => store.list(environment, undefined, page), 100)
  return all.find((request) => request.id === id) ?? assert.fail("the request is listed")
})
