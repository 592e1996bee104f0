import { TargetPolicy } from "@surety/core/event/TargetPolicy"
import { Clock, Context, type Duration, Effect, Layer, Option, Result, Stream } from "effect"
import {
  FetchHttpClient,
  Headers,
  HttpBody,
  HttpClient,
  HttpClientRequest,
  type HttpClientResponse,
  UrlParams
} from "effect/http"
import { AnswerExcerpt } from "../AnswerExcerpt.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as NoAnswer from "./SendFailure.js"

/** One POST. */
export interface WebhookCall {
  readonly url: string
  /** Sent as they are written here. The client adds those that HTTP itself needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** How a call went. `status` is there when an answer began in time, `error` when none did. */
export interface SendOutcome {
  readonly durationMillis: number
  readonly status?: number
  /** The beginning of the answer's body. */
  readonly bodyText?: string
  /** The answer's `Retry-After`, from now, whatever its form (RFC 9110, 10.2.3). */
  readonly retryAfter?: Duration.Duration
  readonly error?: NoAnswer.NoAnswer
}

/** Sends webhooks over HTTP. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Posts the body once, to the url alone: a redirect is an answer like any other. Ends within `attemptTimeout`, with
     * whatever had come by then: a status that arrived counts even if the body after it never ends.
     */
    readonly send: (call: WebhookCall) => Effect.Effect<SendOutcome>
  }
>()("@surety/webhooks/send/WebhookSender") {}

const toRequest = ({ body, headers, url }: WebhookCall): HttpClientRequest.HttpClientRequest =>
  // Put together by hand, since `setHeader` writes names in lower case. HTTP does not mind, but some gateways hand a
  // receiver the names as they were sent, and its code looks for them as they are documented.
  HttpClientRequest.makeWith(
    "POST",
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe({ ...headers }),
    HttpBody.uint8Array(body)
  )

const retryAfterOf = (response: HttpClientResponse.HttpClientResponse, now: number): Duration.Duration | undefined => {
  const header = response.headers["retry-after"]
  if (header === undefined) return undefined
  const parsed = Headers.parseRetryAfter(header)
  return Result.isSuccess(parsed) ? Headers.retryAfterDelay(parsed.success, now) : undefined
}

/** What has come so far. Filled while the call runs, so that a timeout does not lose it. */
interface Answer {
  head: Pick<SendOutcome, "status" | "retryAfter"> | undefined
  readonly excerpt: AnswerExcerpt
}

const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const targets = yield* TargetPolicy
  const { answerLimitBytes, attemptTimeout } = yield* WebhookSettings

  const exchange = Effect.fnUntraced(function* (call: WebhookCall, answer: Answer) {
    yield* targets.check(call.url)
    const response = yield* client.execute(toRequest(call))
    const retryAfter = retryAfterOf(response, yield* Clock.currentTimeMillis)
    answer.head = { status: response.status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    // An answer without a body, or one that breaks off, is an answer all the same. The connection of one that is not read
    // to its end is closed with the stream.
    yield* response.stream.pipe(
      Stream.runForEachWhile((chunk) => Effect.sync(() => answer.excerpt.add(chunk))),
      Effect.ignore
    )
  })

  /** Why no answer came, if that is so. */
  const attempt = (call: WebhookCall, answer: Answer): Effect.Effect<NoAnswer.NoAnswer | undefined> =>
    exchange(call, answer).pipe(
      Effect.as(undefined),
      Effect.timeoutOrElse({ duration: attemptTimeout, orElse: () => Effect.succeed("timeout" as const) }),
      Effect.catch((error) => Effect.succeed(NoAnswer.fromError(error))),
      Effect.catchDefect((defect) => Effect.succeed(NoAnswer.fromError(defect)))
    )

  const send = Effect.fnUntraced(
    function* (call: WebhookCall) {
      const answer: Answer = { head: undefined, excerpt: new AnswerExcerpt(answerLimitBytes) }
      const startedAt = yield* Clock.monotonicTimeNanos
      const error = yield* attempt(call, answer)
      const durationMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1_000_000)
      const { head } = answer
      if (head === undefined) return { durationMillis, error: error ?? "failed" }
      yield* Effect.annotateCurrentSpan("http.response.status_code", head.status)
      const bodyText = answer.excerpt.text
      return { durationMillis, ...head, ...(bodyText === undefined ? {} : { bodyText }) }
    },
    // The client's own span has the whole url, which can be a secret, and its trace headers are none of a receiver's
    // business.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    // `fetch` follows redirects by itself unless it is told not to; the other clients do not.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.withSpan("WebhookSender.send", undefined, { captureStackTrace: false })
  )

  return WebhookSender.of({ send })
})

export const layer: Layer.Layer<WebhookSender, never, HttpClient.HttpClient | TargetPolicy> = Layer.effect(
  WebhookSender,
  make
)
