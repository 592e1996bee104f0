import { type FeedEvent, type LeasedStream, PlatformFeed, type StreamProgress } from "@surety/core/event/PlatformFeed"
import { Clock, DateTime, Duration, Effect, Random, type Redacted, Schedule } from "effect"
import { type SendOutcome, WebhookSender } from "../send/WebhookSender.js"
import { WebhookSigner } from "../send/WebhookSigner.js"
import * as PlatformMetrics from "./PlatformMetrics.js"
import { PlatformSettings, platformCallTimeout } from "./PlatformSettings.js"

/** The url that receives platform events, and the secret that signs them. */
export interface PlatformTarget {
  readonly url: string
  /** `whsec_` followed by base64, like an endpoint's secret. */
  readonly secret: Redacted.Redacted<string>
}

const utf8 = new TextEncoder()

const isDelivered = ({ status }: SendOutcome): boolean => status !== undefined && status >= 200 && status <= 299

/**
 * Describes a failure by its status or `SendFailure`. Omits the url, which may contain a secret, and the response's
 * headers and body.
 */
const causeOf = ({ error, status }: SendOutcome): string => (status === undefined ? String(error) : `status ${status}`)

const saveAgain = { times: 4, schedule: Schedule.spaced(Duration.millis(500)) }

/**
 * Makes the function that sends a leased stream in order and then settles it. Sending stops if an event fails, too
 * little of the lease is left for a call, or the sender stops. The function never fails: events that could not be
 * settled are leased and sent again.
 */
export const make = Effect.fnUntraced(function* (target: PlatformTarget, isStopping: () => boolean) {
  const feed = yield* PlatformFeed
  const sender = yield* WebhookSender
  const signer = yield* WebhookSigner
  const { logPause, longestRetryAfter, retry } = yield* PlatformSettings
  let loggedAt = Number.NEGATIVE_INFINITY

  const post = Effect.fnUntraced(function* (event: FeedEvent, attempt: number) {
    const body = utf8.encode(event.body)
    const headers = yield* signer.sign({ event: { ...event, aboutMerchant: event.merchantId }, body, attempt }, [
      target.secret
    ])
    return yield* sender.send({ url: target.url, headers, body })
  })

  const logFailure = Effect.fnUntraced(function* (event: FeedEvent, attempt: number, outcome: SendOutcome) {
    const now = yield* Clock.currentTimeMillis
    if (now - loggedAt < Duration.toMillis(logPause)) return
    loggedAt = now
    yield* Effect.logWarning("Platform event not delivered; retrying").pipe(
      Effect.annotateLogs({
        eventId: event.id,
        topic: event.topic,
        attempt,
        cause: causeOf(outcome),
        ...(event.merchantId === undefined ? {} : { merchantId: event.merchantId })
      })
    )
  })

  const retryAt = Effect.fnUntraced(function* (attempt: number, { retryAfter }: SendOutcome) {
    const doubled = Duration.toMillis(retry.first) * 2 ** Math.min(attempt - 1, 30)
    const wait = Math.min(doubled, Duration.toMillis(retry.longest)) * (1 + retry.jitter * (yield* Random.next))
    const asked = retryAfter === undefined ? Duration.zero : Duration.min(retryAfter, longestRetryAfter)
    return DateTime.addDuration(yield* DateTime.now, Duration.max(Duration.millis(wait), asked))
  })

  const sendAll = Effect.fnUntraced(function* ({ events, failures }: LeasedStream, leasedUntil: DateTime.Utc) {
    const latestStart = DateTime.subtractDuration(leasedUntil, platformCallTimeout)
    let sentThrough: FeedEvent | undefined
    for (const event of events) {
      if (isStopping() || DateTime.isGreaterThan(yield* DateTime.now, latestStart)) break
      const attempt = sentThrough === undefined ? failures + 1 : 1
      const outcome = yield* post(event, attempt)
      if (!isDelivered(outcome)) {
        yield* PlatformMetrics.countFailed
        yield* logFailure(event, attempt, outcome)
        return { sentThrough, retryAt: yield* retryAt(attempt, outcome) }
      }
      yield* PlatformMetrics.countDelivered
      sentThrough = event
    }
    return { sentThrough, retryAt: undefined }
  })

  const settle = (leased: LeasedStream, progress: StreamProgress) =>
    Effect.retry(feed.settle(leased, progress), { ...saveAgain, while: ({ isRetryable }) => isRetryable })

  return (leased: LeasedStream, leasedUntil: DateTime.Utc): Effect.Effect<void> =>
    sendAll(leased, leasedUntil).pipe(
      Effect.flatMap((progress) => settle(leased, progress)),
      Effect.catch((error) => Effect.logError("Platform events not settled; resending", error.message)),
      Effect.catchDefect((defect) =>
        Effect.logError(
          "Platform event send failed unexpectedly; resending",
          defect instanceof Error ? defect.name : typeof defect
        )
      ),
      Effect.withSpan("PlatformSender.send", { root: true, kind: "consumer" }, { captureStackTrace: false })
    )
})
