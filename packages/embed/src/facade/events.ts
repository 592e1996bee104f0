import { Topic } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { EndpointId, EventId } from "@surety/core/Ids"
import { toPage } from "@surety/core/Page"
import { DateTime, Effect, Option, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainDelivery, plainEvent } from "../record/Events.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const defaultLimit = 20

const afterUnknown = new InvalidInput({
  faults: [{ path: ["after"], code: "wrong_format", detail: "Expected the id of an event that this list has shown." }]
})

/** Events and their deliveries. */
export const events = (run: Run) => ({
  /** Newest first. `topic` filters. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, topic: Schema.optionalKey(Topic), ...pagingFields }),
    ({ environment, merchantId, topic, ...page }) =>
      Effect.flatMap(EventLog, (log) =>
        Effect.map(
          readHostPage(["events.list", merchantId, environment], page, (request) =>
            log.list({ merchantId, environment }, request, topic)
          ),
          (found) => toPage(found, plainEvent)
        )
      )
  ),

  /**
   * Events in the order of their commits, from the one after `after` or from the first. Polling after the last one seen
   * misses none, which `list` cannot promise. Fails with `InvalidInput` if `after` is not in the list, such as an event
   * that a restored backup lacks: nothing would ever follow it.
   */
  follow: call(
    run,
    Schema.Struct({ ...scopeFields, after: Schema.optionalKey(EventId), limit: pagingFields.limit }),
    ({ after, limit, ...scope }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const found = yield* log.follow(scope, { after, limit: limit ?? defaultLimit })
        if (found.length === 0 && after !== undefined) {
          const shown = yield* log.find(scope, after)
          if (!Option.exists(shown, ({ testFor }) => testFor === undefined)) return yield* afterUnknown
        }
        return found.map(plainEvent)
      })
  ),

  /** The deliveries of an event, one for each endpoint. */
  deliveries: call(run, Schema.Struct({ ...scopeFields, eventId: EventId }), ({ eventId, ...scope }) =>
    Effect.flatMap(EventLog, (log) => Effect.map(log.deliveries(scope, eventId), (found) => found.map(plainDelivery)))
  ),

  /** Sends an event again, to one endpoint or to all subscribed ones. Returns the number of deliveries due. */
  resend: call(
    run,
    Schema.Struct({ ...scopeFields, eventId: EventId, endpointId: Schema.optionalKey(EndpointId) }),
    ({ endpointId, eventId, ...scope }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        return { scheduled: yield* log.resend(scope, eventId, endpointId, yield* DateTime.now) }
      })
  )
})
