import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  DataRequestId,
  EndpointId,
  EventId,
  GrantId,
  type MerchantId,
  PaymentId,
  RefundId,
  UserId,
  VerificationId
} from "../Ids.js"
import {
  EndpointDisabled,
  type EndpointNotFound,
  type MerchantNotActive,
  type MerchantNotFound
} from "../merchant/MerchantError.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import { openMerchant } from "../merchant/openMerchant.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery } from "./Delivery.js"
import type { TestEvent, Topic } from "./DomainEvent.js"
import type { EventArchived } from "./EventArchived.js"
import { EventLog, type EventRange } from "./EventLog.js"
import { sampleEvent } from "./sampleEvent.js"
import type { TargetNotAllowed } from "./TargetPolicy.js"
import * as Traceparent from "./Traceparent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"
import { type EndpointChange, WebhookEndpoints } from "./WebhookEndpoints.js"

/** Start of a recovery: a time, or `missed` for the time when the endpoint began to miss events. */
export type RecoverSince = DateTime.Utc | "missed"

/** An endpoint enabled by `enable`. Its missed events are sent from `since`, which is undefined if it missed none. */
export interface EndpointEnabled {
  readonly endpoint: WebhookEndpoint
  readonly since: DateTime.Utc | undefined
}

/** An enabled endpoint and the number of its missed events that are now due. */
export interface EndpointRecovered {
  readonly endpoint: WebhookEndpoint
  readonly due: number
}

/** Sends missed events and test events to an endpoint on request (contract 11). */
export class EndpointEvents extends Context.Service<
  EndpointEvents,
  {
    /**
     * Schedules delivery of the events that the endpoint missed in the range (see `EventLog.recover`). Returns the
     * number of deliveries made due. Fails with `EndpointDisabled` if the endpoint is disabled, since nothing would be
     * sent to it. Fails with `EventArchived` if a month of the range is archived.
     */
    readonly recover: (
      merchantId: MerchantId,
      id: EndpointId,
      range: EventRange
    ) => Effect.Effect<
      number,
      EndpointNotFound | EndpointDisabled | EventArchived | MerchantNotFound | MerchantNotActive | StoreError
    >

    /**
     * Changes and enables the endpoint. Once this is committed, pass the result to `sendMissed`. If `since` is
     * `missed`, the range starts up to a minute before the earliest of `disabledAt`, `failingSince` and `missedSince`.
     * An endpoint with none of these has missed nothing. Fails with `EventArchived`, and changes nothing, if a month
     * since then is archived.
     */
    readonly enable: (
      merchantId: MerchantId,
      id: EndpointId,
      change: Omit<EndpointChange, "status" | "missedSince">,
      since: RecoverSince
    ) => Effect.Effect<
      EndpointEnabled,
      EndpointNotFound | EventArchived | MerchantNotFound | MerchantNotActive | TargetNotAllowed | StoreError
    >

    /**
     * Makes the missed events due. Must run after the commit of `enable`, not in the same transaction: only then does
     * it find every event committed meanwhile. If it fails, the start of the missed events stays stored for
     * a later `enable` with `missed`.
     */
    readonly sendMissed: (
      enabled: EndpointEnabled
    ) => Effect.Effect<
      EndpointRecovered,
      EndpointNotFound | EventArchived | MerchantNotFound | MerchantNotActive | TargetNotAllowed | StoreError
    >

    /**
     * Sends a sample of a topic to this endpoint only, even if the endpoint does not subscribe to the topic. The
     * default topic is `refund.completed` if the endpoint subscribes to it, otherwise the endpoint's first topic. The
     * event is marked as a test, moves no money and appears in no list of events. Fails with `EndpointDisabled` if the
     * endpoint is disabled.
     */
    readonly sendTest: (
      merchantId: MerchantId,
      id: EndpointId,
      topic: Topic | undefined
    ) => Effect.Effect<
      { readonly event: TestEvent; readonly delivery: Delivery },
      EndpointNotFound | EndpointDisabled | MerchantNotFound | MerchantNotActive | StoreError
    >
  }
>()("@surety/core/event/EndpointEvents") {}

const missedFrom = ({ disabledAt, failingSince, missedSince }: WebhookEndpoint): DateTime.Utc | undefined => {
  const [first, ...others] = [disabledAt, failingSince, missedSince].filter((at) => at !== undefined)
  return first === undefined ? undefined : others.reduce(DateTime.min, first)
}

/**
 * How far a recovery reaches beyond the time in which an endpoint missed events. The time in an event's id may be
 * earlier than the commit that stores the event, and the clocks of processes differ.
 */
const tolerance = Duration.minutes(1)

/** Returns `from` moved back by `tolerance`, but not past the endpoint's registration. */
const earlierStart = ({ createdAt }: WebhookEndpoint, from: DateTime.Utc): DateTime.Utc => {
  const registered = DateTime.add(createdAt, { milliseconds: 1 })
  return DateTime.min(from, DateTime.max(registered, DateTime.subtractDuration(from, tolerance)))
}

/** Returns the range of a recovery at `now`. Events stored after the endpoint was enabled are delivered as usual. */
const rangeFrom = (since: DateTime.Utc, now: DateTime.Utc): EventRange => ({
  since,
  until: DateTime.addDuration(now, tolerance)
})

const scopeOf = ({ environment, merchantId }: WebhookEndpoint) => ({ merchantId, environment })

const defaultTopic = ({ topics: [first = "refund.completed", ...rest] }: WebhookEndpoint): Topic =>
  rest.includes("refund.completed") ? "refund.completed" : first

export const layer: Layer.Layer<
  EndpointEvents,
  never,
  WebhookEndpoints | EventLog | MerchantStore | SecureRandom.SecureRandom
> = Layer.effect(
  EndpointEvents,
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const log = yield* EventLog
    const merchants = yield* MerchantStore
    const random = yield* SecureRandom.SecureRandom

    /** Fails if the endpoint is unknown, or if its merchant is REJECTED or CLOSED. */
    const openEndpoint = Effect.fnUntraced(function* (merchantId: MerchantId, id: EndpointId) {
      const endpoint = yield* endpoints.get(merchantId, id)
      yield* openMerchant(merchants, merchantId, endpoint.environment)
      return endpoint
    })

    const enabledEndpoint = Effect.fnUntraced(function* (merchantId: MerchantId, id: EndpointId) {
      const endpoint = yield* openEndpoint(merchantId, id)
      return endpoint.status === "DISABLED" ? yield* new EndpointDisabled({ endpointId: id }) : endpoint
    })

    const nextIds = Effect.all({
      event: EventId.next,
      payment: PaymentId.next,
      refund: RefundId.next,
      dataRequest: DataRequestId.next,
      grant: GrantId.next,
      verification: VerificationId.next,
      endpoint: EndpointId.next,
      user: UserId.next
    }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

    /**
     * Returns `from`. Fails with `EventArchived` if any month since then is archived: a month may be archived before an
     * earlier one, whose events wait to be sent.
     */
    const unlessArchived = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, from: DateTime.Utc) {
      yield* log.checkRange(scopeOf(endpoint), rangeFrom(from, yield* DateTime.now))
      return from
    })

    /** Returns the start of what the endpoint missed, moved back unless the earlier start is archived. */
    const startOfMissed = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
      const from = missedFrom(endpoint)
      if (from === undefined) return undefined
      return yield* Effect.catchTag(unlessArchived(endpoint, earlierStart(endpoint, from)), "EventArchived", () =>
        unlessArchived(endpoint, from)
      )
    })

    const recover = Effect.fn("EndpointEvents.recover")(function* (
      merchantId: MerchantId,
      id: EndpointId,
      range: EventRange
    ) {
      const endpoint = yield* enabledEndpoint(merchantId, id)
      const due = yield* log.recover(scopeOf(endpoint), id, range, yield* DateTime.now)
      // Fails if nothing is due because the endpoint was disabled concurrently.
      if (due === 0) yield* enabledEndpoint(merchantId, id)
      return due
    })

    const enable = Effect.fn("EndpointEvents.enable")(function* (
      merchantId: MerchantId,
      id: EndpointId,
      change: Omit<EndpointChange, "status">,
      since: RecoverSince
    ) {
      const before = yield* endpoints.get(merchantId, id)
      const missedSince = yield* since === "missed" ? startOfMissed(before) : unlessArchived(before, since)
      const enabled = missedSince === undefined ? {} : { missedSince }
      const endpoint = yield* endpoints.update(merchantId, id, { ...change, status: "ENABLED", ...enabled })
      return { endpoint, since: missedSince }
    })

    const sendMissed = Effect.fn("EndpointEvents.sendMissed")(function* ({ endpoint, since }: EndpointEnabled) {
      if (since === undefined) return { endpoint, due: 0 }
      const now = yield* DateTime.now
      const due = yield* log.recover(scopeOf(endpoint), endpoint.id, rangeFrom(since, now), now)
      return { endpoint: yield* endpoints.endMissed(endpoint), due }
    })

    const sendTest = Effect.fn("EndpointEvents.sendTest")(function* (
      merchantId: MerchantId,
      id: EndpointId,
      topic: Topic | undefined
    ) {
      const endpoint = yield* openEndpoint(merchantId, id)
      const event = sampleEvent({
        scope: scopeOf(endpoint),
        endpointId: id,
        topic: topic ?? defaultTopic(endpoint),
        now: yield* DateTime.now,
        ids: yield* nextIds,
        traceparent: yield* Traceparent.current
      })
      const delivery = yield* log.sendTest(event)
      if (Option.isNone(delivery)) return yield* new EndpointDisabled({ endpointId: id })
      return { event, delivery: delivery.value }
    })

    return EndpointEvents.of({ recover, enable, sendMissed, sendTest })
  })
)
