import { readWhole } from "@surety/core/host/readWhole"
import { Duration, Effect, Option, Redacted, type Schema } from "effect"
import { FetchHttpClient, Headers, HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import * as BoundedJson from "./BoundedJson.js"
import type { VendorAnswer } from "./VendorAnswer.js"
import * as VendorFailure from "./VendorFailure.js"

/** A vendor's base url, with time and size limits. */
export interface VendorHttpSettings {
  /** The provider's name, for spans. */
  readonly vendor: string
  /** With or without a trailing slash. */
  readonly baseUrl: string
  /**
   * Timeout for the complete call: connecting, sending, and reading the response. Must stay below core's
   * `providerTimeout`, by default 10 s. Default: 9 s.
   */
  readonly timeout?: Duration.Duration
  /** Default: 4 MiB, because registries send photos. */
  readonly responseLimitBytes?: number
}

/** One request to a vendor. */
export interface VendorCall {
  readonly method: "GET" | "POST"
  /** The path below the base url, with placeholders for values: `/v1/ng/identities/nin/{nin}`. Shown in spans. */
  readonly route: string
  /** Values of the route's placeholders. They are percent-encoded, and appear in no span, log or error. */
  readonly values?: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted<string>>>
  /** Sent as JSON. */
  readonly body?: Redacted.Redacted<Schema.Json>
}

/** A client for one vendor. */
export interface VendorHttp {
  /**
   * Returns any response whose status and headers arrived in time, even if its body is incomplete. Otherwise fails.
   * Never retries or follows redirects.
   */
  readonly call: (call: VendorCall) => Effect.Effect<VendorAnswer, VendorFailure.VendorFailure>
}

const reveal = (value: string | Redacted.Redacted<string>): string =>
  typeof value === "string" ? value : Redacted.value(value)

const pathOf = ({ route, values = {} }: VendorCall): string =>
  route.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = values[name]
    return value === undefined ? "" : encodeURIComponent(Redacted.value(value))
  })

const toRequest = (baseUrl: string, call: VendorCall): HttpClientRequest.HttpClientRequest => {
  const { body, headers = {}, method } = call
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, reveal(value)]))
  return HttpClientRequest.make(method)(baseUrl.replace(/\/+$/u, "") + pathOf(call), {
    headers: Headers.fromInput({ accept: "application/json", ...sent }),
    ...(body === undefined ? {} : { body: HttpBody.text(JSON.stringify(Redacted.value(body)), "application/json") })
  })
}

const labelled = (value: unknown) => Redacted.make(value, { label: "a vendor's answer" })

/**
 * The part of a response that has arrived so far. Filled during the exchange, so that a timeout while the body arrives
 * does not lose the status.
 */
interface Received {
  head: Pick<VendorAnswer, "status" | "headers"> | undefined
  json: VendorAnswer["json"]
}

/** Creates a client for one vendor on top of an HTTP client. */
export const make = (settings: VendorHttpSettings): Effect.Effect<VendorHttp, never, HttpClient.HttpClient> => {
  const { baseUrl, responseLimitBytes = 4 * 1024 * 1024, timeout = Duration.seconds(9), vendor } = settings
  return Effect.map(HttpClient.HttpClient, (client): VendorHttp => {
    const exchange = Effect.fnUntraced(function* (call: VendorCall, received: Received) {
      const response = yield* client.execute(toRequest(baseUrl, call))
      received.head = { status: response.status, headers: response.headers }
      const bytes = yield* Effect.orElseSucceed(readWhole(response.stream, responseLimitBytes), () => undefined)
      received.json = Option.map(Option.flatMap(Option.fromUndefinedOr(bytes), BoundedJson.parse), labelled)
    })

    const timedOut = new VendorFailure.VendorFailure({ mayHaveReached: true, reason: "timed_out" })

    const call = (asked: VendorCall) =>
      Effect.suspend(() => {
        const received: Received = { head: undefined, json: Option.none() }
        return exchange(asked, received).pipe(
          Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(timedOut) }),
          Effect.catch((error) => Effect.fail(error === timedOut ? timedOut : VendorFailure.ofError(error))),
          Effect.catchDefect((defect) => Effect.fail(VendorFailure.ofError(defect))),
          Effect.catch((failure) => (received.head === undefined ? Effect.fail(failure) : Effect.void)),
          Effect.flatMap(() =>
            received.head === undefined
              ? Effect.fail(timedOut)
              : Effect.succeed({ ...received.head, json: received.json })
          ),
          Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
          // Tracing is disabled, because the HTTP client's own span would contain the url, and trace headers would
          // reach the vendor.
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
          // Following a redirect could send the identity number and the credentials to another server.
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          Effect.withSpan(
            "VendorHttp.call",
            { attributes: { vendor, "http.request.method": asked.method, "url.template": asked.route } },
            { captureStackTrace: false }
          )
        )
      })

    return { call }
  })
}
