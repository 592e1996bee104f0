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
import { WebhookSettings } from "../WebhookSettings.js"
import * as SendFailure from "./SendFailure.js"

/** A signed POST to a webhook endpoint or to the platform. */
export interface WebhookPost {
  readonly url: string
  /** Sent with this exact casing. The client adds the headers that HTTP itself needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The outcome of one POST. `status` is set if the response's headers arrived in time, `error` if not. */
export interface SendOutcome {
  readonly durationMillis: number
  readonly status?: number
  /** The first `responseLimitBytes` bytes of the response body, decoded. Undefined if none arrived. */
  readonly bodyText?: string
  /** The delay that `Retry-After` requests, whether as seconds or as a date (RFC 9110, 10.2.3). */
  readonly retryAfter?: Duration.Duration
  readonly error?: SendFailure.SendFailure
}

/** Sends webhooks and platform events over HTTP. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Posts the body once, following no redirects. Returns within `attemptTimeout` with everything received by that
     * time: a status counts even if the body after it never ends.
     */
    readonly send: (post: WebhookPost) => Effect.Effect<SendOutcome>
  }
>()("@surety/webhooks/send/WebhookSender") {}

/** Builds the request and keeps the casing of header names. */
export const toRequest = ({ body, headers, url }: WebhookPost): HttpClientRequest.HttpClientRequest =>
  // `setHeader` would lower-case the names. HTTP ignores case, but some gateways forward names as sent, and receivers
  // expect the documented casing.
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

/** Collects at most `limitBytes` of a response body, so an endless stream takes no more memory than a short one. */
class ResponseExcerpt {
  readonly #limitBytes: number
  // Allocated at the first chunk, since most responses have no body.
  #bytes = new Uint8Array(0)
  #length = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Adds as much of the chunk as fits. Returns false once the excerpt is full. */
  add(chunk: Uint8Array): boolean {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#limitBytes)
    const kept = chunk.subarray(0, this.#bytes.length - this.#length)
    this.#bytes.set(kept, this.#length)
    this.#length += kept.length
    return this.#length < this.#bytes.length
  }

  /**
   * The collected bytes, decoded as UTF-8, or undefined if none arrived. Ill-formed bytes become U+FFFD, as does NUL,
   * which PostgreSQL cannot store in text. A character cut off by the limit is dropped.
   */
  get text(): string | undefined {
    if (this.#length === 0) return undefined
    const isCut = this.#length === this.#bytes.length
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#length), { stream: isCut })
    return text.replaceAll("\0", "\uFFFD")
  }
}

/** The response so far, filled in during the exchange, so that a timeout does not lose what has arrived. */
interface Received {
  head: Pick<SendOutcome, "status" | "retryAfter"> | undefined
  readonly excerpt: ResponseExcerpt
}

const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const targets = yield* TargetPolicy
  const { responseLimitBytes: answerLimitBytes, attemptTimeout } = yield* WebhookSettings

  const exchange = Effect.fnUntraced(function* (post: WebhookPost, received: Received) {
    yield* targets.check(post.url)
    const response = yield* client.execute(toRequest(post))
    const retryAfter = retryAfterOf(response, yield* Clock.currentTimeMillis)
    received.head = { status: response.status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    // A missing or truncated body is not a failure. Closing the stream closes the connection if the response was not
    // read to its end.
    yield* response.stream.pipe(
      Stream.runForEachWhile((chunk) => Effect.sync(() => received.excerpt.add(chunk))),
      Effect.ignore
    )
  })

  /** Returns why the exchange failed, or `undefined` if it completed. */
  const attempt = (post: WebhookPost, received: Received): Effect.Effect<SendFailure.SendFailure | undefined> =>
    exchange(post, received).pipe(
      Effect.as(undefined),
      Effect.timeoutOrElse({ duration: attemptTimeout, orElse: () => Effect.succeed("timeout" as const) }),
      Effect.catch((error) => Effect.succeed(SendFailure.fromError(error))),
      Effect.catchDefect((defect) => Effect.succeed(SendFailure.fromError(defect)))
    )

  const send = Effect.fnUntraced(
    function* (post: WebhookPost) {
      const received: Received = { head: undefined, excerpt: new ResponseExcerpt(answerLimitBytes) }
      const startedAt = yield* Clock.monotonicTimeNanos
      const error = yield* attempt(post, received)
      const durationMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1_000_000)
      const { head } = received
      if (head === undefined) return { durationMillis, error: error ?? "failed" }
      yield* Effect.annotateCurrentSpan("http.response.status_code", head.status)
      const bodyText = received.excerpt.text
      return { durationMillis, ...head, ...(bodyText === undefined ? {} : { bodyText }) }
    },
    // Switches off the client's tracing. Its span would contain the url, which may hold a secret, and the receiver
    // would get trace headers.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    // `fetch` follows redirects by default, unlike undici and `node:http`.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.withSpan("WebhookSender.send", undefined, { captureStackTrace: false })
  )

  return WebhookSender.of({ send })
})

export const layer: Layer.Layer<WebhookSender, never, HttpClient.HttpClient | TargetPolicy> = Layer.effect(
  WebhookSender,
  make
)
