import { assert } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { Environment } from "@surety/core/Environment"
import type { PlatformEvent } from "@surety/core/event/PlatformEvent"
import type { RightsRequestId } from "@surety/core/Ids"
import { rightsRequestedAs } from "@surety/core/person/PersonEvents"
import { type RightsRequest, type RightsRequestKind, timeToAnswer } from "@surety/core/person/RightsRequest"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { DateTime, Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as PageWalk from "../PageWalk.js"

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

export const eventOf = (request: RightsRequest): PlatformEvent =>
  rightsRequestedAs(Fresh.eventId(request.askedAt), request)

export const found = Effect.fnUntraced(function* (environment: Environment, id: RightsRequestId) {
  const store = yield* RightsRequestStore
  const all = yield* PageWalk.all((page) => store.list(environment, undefined, page), 100)
  return all.find((request) => request.id === id) ?? assert.fail("the request is listed")
})
