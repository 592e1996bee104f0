import { DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import * as PlatformEvent from "../event/PlatformEvent.js"
import { EventId } from "../Ids.js"
import type { RightsRequest } from "./RightsRequest.js"

/** Omits the person's note, which is only in the request. */
export const rightsRequestedAs = (
  id: EventId,
  { askedAt, dueAt, environment, id: requestId, kind: right, serviceId, userId }: RightsRequest
): PlatformEvent.PlatformEvent =>
  PlatformEvent.make({
    id,
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

export const rightsRequestedEvent = (
  request: RightsRequest
): Effect.Effect<PlatformEvent.PlatformEvent, never, SecureRandom.SecureRandom> =>
  Effect.map(EventId.next, (id) => rightsRequestedAs(id, request))
