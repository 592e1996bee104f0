import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import type { DueDelivery } from "@surety/core/event/DeliveryQueue"
import * as Traceparent from "@surety/core/event/Traceparent"
import type { SecretUnreadable } from "@surety/core/secret/Keyring"
import { Array as Arr, Clock, DateTime, Effect, Option, Random, type Redacted, type Tracer } from "effect"
import * as OpenedSecrets from "../send/OpenedSecrets.js"
import { type SendOutcome, WebhookSender } from "../send/WebhookSender.js"
import { inForce, NoSigningKey, WebhookSigner } from "../send/WebhookSigner.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as AttemptRecords from "./AttemptRecords.js"
import { decideAfterAttempt } from "./RetrySchedule.js"
import type { StoreOutage } from "./StoreOutage.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** Makes the attempt that a claimed delivery is due for, and records it. Does not fail. */
export type DeliveryAttempts = (due: DueDelivery) => Effect.Effect<void>

const utf8 = new TextEncoder()

/** What an operator finds a delivery by: ids only, since an endpoint's url can be a secret. */
const naming = ({ delivery, endpoint, event }: DueDelivery) => ({
  deliveryId: delivery.id,
  eventId: event.id,
  endpointId: endpoint.id,
  merchantId: endpoint.merchantId,
  topic: event.topic
})

/**
 * An attempt has a trace of its own, with a link to the request that caused the event: it can be days later, and one of
 * many, so as a child it would keep that request's trace from ever being whole.
 */
const linksOf = ({ event: { traceparent } }: DueDelivery): ReadonlyArray<Tracer.SpanLink> =>
  traceparent === undefined
    ? []
    : Option.match(Traceparent.toSpan(traceparent), {
        onNone: () => [],
        onSome: (span) => [{ span, attributes: {} }]
      })

/** How long the same thing is not logged again: what one key blocks can be many deliveries. */
const logPauseMillis = 60_000

/** Logs what keeps deliveries from being signed. */
const makeUnsignedLog = () => {
  const loggedAt = new Map<string, number>()
  return Effect.fnUntraced(function* (due: DueDelivery, error: SecretUnreadable | NoSigningKey) {
    const key = error._tag === "SecretUnreadable" ? `key ${error.keyId}` : `endpoint ${due.endpoint.id}`
    const now = yield* Clock.currentTimeMillis
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < logPauseMillis) return
    loggedAt.set(key, now)
    yield* Effect.logError("Webhook deliveries wait, since they cannot be signed", error.message).pipe(
      Effect.annotateLogs(naming(due))
    )
  })
}

export const make = Effect.fnUntraced(function* (outage: StoreOutage) {
  const openSecret = yield* OpenedSecrets.make
  const signer = yield* WebhookSigner
  const sender = yield* WebhookSender
  const { retrySchedule } = yield* WebhookSettings
  const record = yield* AttemptRecords.make(outage)
  const logUnsigned = makeUnsignedLog()

  const openSecrets = Effect.fnUntraced(function* ({ endpoint }: DueDelivery) {
    const secrets = yield* Effect.forEach(inForce(endpoint.secrets, yield* DateTime.now), (secret) =>
      openSecret(endpoint.id, secret)
    )
    return Arr.isReadonlyArrayNonEmpty(secrets) ? secrets : yield* new NoSigningKey({})
  })

  const decide = Effect.fnUntraced(function* ({ endpoint }: DueDelivery, attempts: number, outcome: SendOutcome) {
    return decideAfterAttempt(retrySchedule, {
      environment: endpoint.environment,
      attempts,
      endedAt: yield* DateTime.now,
      failingSince: endpoint.failingSince,
      status: outcome.status,
      retryAfter: outcome.retryAfter,
      jitterSample: yield* Random.next
    })
  })

  const attempt = Effect.fnUntraced(function* (
    due: DueDelivery,
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
   * A delivery that cannot be signed is left alone: when its lease runs out it is due again, with no attempt used up,
   * and it goes out as soon as the key is back, or a rotation without overlap has put a new secret in its place.
   */
  const unsigned = (due: DueDelivery, error: SecretUnreadable | NoSigningKey): Effect.Effect<void> =>
    Effect.andThen(logUnsigned(due, error), WebhookMetrics.count(due.endpoint.environment, "unsigned"))

  const attempts: DeliveryAttempts = (due) => {
    const names = naming(due)
    return openSecrets(due).pipe(
      Effect.flatMap((secrets) => attempt(due, secrets)),
      Effect.catch((error) => unsigned(due, error)),
      Effect.catchDefect((defect) =>
        Effect.logError(
          "A webhook delivery attempt broke off; it is made again when its lease runs out",
          defect instanceof Error ? defect.name : typeof defect
        )
      ),
      Effect.annotateLogs(names),
      Effect.withSpan(
        "WebhookDispatcher.attempt",
        { root: true, kind: "consumer", attributes: names, links: linksOf(due) },
        { captureStackTrace: false }
      )
    )
  }

  return attempts
})
