import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import type { LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { disabledEvent } from "@surety/core/event/disabledEvent"
import * as Traceparent from "@surety/core/event/Traceparent"
import { type Array as Arr, Clock, DateTime, Effect, Option, Random, type Redacted, type Tracer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SigningSecrets from "../send/SigningSecrets.js"
import { type SendOutcome, WebhookSender } from "../send/WebhookSender.js"
import { WebhookSigner } from "../send/WebhookSigner.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as AttemptRecords from "./AttemptRecords.js"
import { decideAfterAttempt } from "./RetrySchedule.js"
import type { StoreOutage } from "./StoreOutage.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** Makes and records the due attempt of a claimed delivery, unless the delivery cannot be signed. Never fails. */
export type DeliveryAttempts = (due: LeasedDelivery) => Effect.Effect<void>

const utf8 = new TextEncoder()

/** Annotations for logs and spans: ids and the topic only, since an endpoint's url may contain a secret. */
const idsOf = ({ delivery, endpoint, event }: LeasedDelivery) => ({
  deliveryId: delivery.id,
  eventId: event.id,
  endpointId: endpoint.id,
  merchantId: endpoint.merchantId,
  topic: event.topic
})

/**
 * Links an attempt's own trace to the trace that caused the event, if the event has one. If attempts were child spans,
 * those made days later would keep that trace open.
 */
const linksOf = ({ event: { traceparent } }: LeasedDelivery): ReadonlyArray<Tracer.SpanLink> =>
  traceparent === undefined
    ? []
    : Option.match(Traceparent.toSpan(traceparent), {
        onNone: () => [],
        onSome: (span) => [{ span, attributes: {} }]
      })

/** Minimum time between log lines about one key or endpoint that prevents signing. A key may block many deliveries. */
const logPauseMillis = 60_000

const makeUnsignedLog = () => {
  const loggedAt = new Map<string, number>()
  return Effect.fnUntraced(function* (due: LeasedDelivery, error: SigningSecrets.SigningFailure) {
    const key = error._tag === "SecretUnreadable" ? `key ${error.keyId}` : `endpoint ${due.endpoint.id}`
    const now = yield* Clock.currentTimeMillis
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < logPauseMillis) return
    loggedAt.set(key, now)
    yield* Effect.logError("Webhook delivery cannot be signed; retrying when its lease ends", error.message).pipe(
      Effect.annotateLogs(idsOf(due))
    )
  })
}

export const make = Effect.fnUntraced(function* (outage: StoreOutage) {
  const secretsOf = yield* SigningSecrets.make
  const signer = yield* WebhookSigner
  const sender = yield* WebhookSender
  const { retrySchedule } = yield* WebhookSettings
  const record = yield* AttemptRecords.make(outage)
  const logUnsigned = makeUnsignedLog()
  const random = yield* SecureRandom.SecureRandom

  const decide = Effect.fnUntraced(function* ({ endpoint }: LeasedDelivery, attempts: number, outcome: SendOutcome) {
    const endedAt = yield* DateTime.now
    const after = decideAfterAttempt(retrySchedule, {
      environment: endpoint.environment,
      attempts,
      endedAt,
      failingSince: endpoint.failingSince,
      status: outcome.status,
      retryAfter: outcome.retryAfter,
      jitterSample: yield* Random.next
    })
    if (after._tag !== "DisableEndpoint") return after
    const event = yield* Effect.provideService(
      disabledEvent(endpoint, after.reason, endedAt),
      SecureRandom.SecureRandom,
      random
    )
    return { ...after, event }
  })

  const attempt = Effect.fnUntraced(function* (
    due: LeasedDelivery,
    secrets: Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>
  ) {
    const { delivery, endpoint, event } = due
    const number = delivery.attempts + 1
    const body = utf8.encode(event.body)
    const headers = yield* signer.sign({ event, body, attempt: number }, secrets)
    const startedAt = yield* DateTime.now
    const outcome = yield* sender.send({ url: endpoint.url, headers, body })
    const after = yield* decide(due, number, outcome)
    const made: DeliveryAttempt = {
      deliveryId: delivery.id,
      number,
      startedAt,
      durationMillis: outcome.durationMillis,
      ...(outcome.status === undefined ? {} : { responseStatus: outcome.status }),
      ...(outcome.bodyText === undefined ? {} : { responseBody: outcome.bodyText }),
      ...(outcome.error === undefined ? {} : { error: outcome.error })
    }
    yield* record(due, made, after)
  })

  /**
   * Logs and counts a delivery that cannot be signed. The delivery keeps its lease, uses up no attempt, and is due
   * again when the lease ends. It is sent once all active secrets of the endpoint can be used, for example after a
   * rotation without overlap.
   */
  const unsigned = (due: LeasedDelivery, error: SigningSecrets.SigningFailure): Effect.Effect<void> =>
    Effect.andThen(logUnsigned(due, error), WebhookMetrics.countAttempt(due.endpoint.environment, "unsigned"))

  const attempts: DeliveryAttempts = (due) => {
    const ids = idsOf(due)
    return secretsOf(due.endpoint).pipe(
      Effect.flatMap((secrets) => attempt(due, secrets)),
      Effect.catch((error) => unsigned(due, error)),
      Effect.catchDefect((defect) =>
        Effect.logError(
          "Webhook attempt failed unexpectedly; retrying when its lease ends",
          defect instanceof Error ? defect.name : typeof defect
        )
      ),
      Effect.annotateLogs(ids),
      Effect.withSpan(
        "WebhookDispatcher.attempt",
        { root: true, kind: "consumer", attributes: ids, links: linksOf(due) },
        { captureStackTrace: false }
      )
    )
  }

  return attempts
})
