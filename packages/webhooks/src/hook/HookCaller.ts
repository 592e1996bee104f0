import type { Environment } from "@surety/core/Environment"
import { TargetPolicy } from "@surety/core/event/TargetPolicy"
import type { ReadAnswer } from "@surety/core/host/HostAnswer"
import { readWhole } from "@surety/core/host/readWhole"
import { Context, Duration, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as SendFailure from "../send/SendFailure.js"
import { toRequest } from "../send/WebhookSender.js"
import { WebhookSigner } from "../send/WebhookSigner.js"
import { countCall, type HookName } from "./HookMetrics.js"
import { namesFieldTwice } from "./namesFieldTwice.js"

/** The url that receives a hook's calls, and the secret that signs them. */
export interface HookTarget {
  readonly url: string
  /** `whsec_` followed by base64, like an endpoint's secret. */
  readonly secret: Redacted.Redacted<string>
}

/** One call to a hook, sent as a signed POST. */
export interface HookCall {
  readonly hook: HookName
  readonly target: HookTarget
  /** Sent as `webhook-id`. A repeated credit or notice keeps its id. */
  readonly id: string
  /** Sent as `X-Service-Event`. */
  readonly topic: string
  readonly environment: Environment
  /** Starts at 1, which is also the default. */
  readonly attempt?: number
  /** Sent as JSON. */
  readonly body: Schema.Json
}

/**
 * A call to a hook failed. Contains no url and no value from the request or response, except the status. May contain
 * field names and types of the response.
 */
export class HookFailed extends Schema.TaggedError<HookFailed>("@surety/webhooks/hook/HookCaller/HookFailed")(
  "HookFailed",
  {
    hook: Schema.String,
    /** The failure, worded to follow the hook's name in the message, such as `returned 500`. */
    what: Schema.String,
    /** HTTP status, if the response headers arrived. */
    status: Schema.optionalKey(Schema.Int)
  }
) {
  override get message(): string {
    return `${this.hook.charAt(0).toUpperCase()}${this.hook.slice(1)} hook ${this.what}`
  }
}

/** A hook's response, with any status. */
export interface HookAnswer {
  readonly status: number
  /** The complete body. Undefined if it was truncated, late, too large or not UTF-8. */
  readonly text: string | undefined
  /** The platform's clock in milliseconds, from the response's `Date` header. */
  readonly dateMillis: number | undefined
}

/** Limits on the duration of a hook call and the size of its response. */
export interface HookSettings {
  /** Timeout for the whole call: connecting, sending and reading the response (contract 15.1). */
  readonly timeout: Duration.Duration
  readonly responseLimitBytes: number
}

export const HookSettings: Context.Reference<HookSettings> = Context.Reference("@surety/webhooks/hook/HookSettings", {
  defaultValue: (): HookSettings => ({ timeout: Duration.seconds(5), responseLimitBytes: 256 * 1024 })
})

/**
 * Calls a platform's hooks (contract 15.1). Calls are signed as Standard Webhooks, go only to urls that `TargetPolicy`
 * allows, and follow no redirects.
 */
export class HookCaller extends Context.Service<
  HookCaller,
  {
    /**
     * Returns the response, with any status. Fails if the target is not allowed, the secret is malformed, or no
     * response headers arrive in time. The call is not counted in the metrics.
     */
    readonly call: (call: HookCall) => Effect.Effect<HookAnswer, HookFailed>

    /** Returns the decoded JSON of a 200 response. Fails on anything else. */
    readonly ask: <A>(call: HookCall, read: ReadAnswer<A>) => Effect.Effect<A, HookFailed>

    /** Succeeds on any 2xx, even if its body never ends. Fails on anything else. */
    readonly tell: (call: HookCall) => Effect.Effect<HookAnswer, HookFailed>
  }
>()("@surety/webhooks/hook/HookCaller") {}

const utf8 = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })
const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The response so far, filled in during the exchange, so that a timeout does not lose the status. */
interface Received {
  status: number | undefined
  dateMillis: number | undefined
  text: string | undefined
}

const dateOf = (header: string | undefined): number | undefined => {
  const millis = header === undefined ? Number.NaN : Date.parse(header)
  return Number.isNaN(millis) ? undefined : millis
}

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(Result.try(() => decoder.decode(bytes))))

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

const returned = (hook: HookName, status: number) => new HookFailed({ hook, status, what: `returned ${status}` })

/** Accepts any 2xx, even with an incomplete body. */
export const readTold = (hook: HookName, answer: HookAnswer): Result.Result<HookAnswer, HookFailed> =>
  isSuccess(answer.status) ? Result.succeed(answer) : Result.fail(returned(hook, answer.status))

/** Decodes the JSON of a 200 response. Rejects any other status, and JSON that names a field twice. */
export const readReply = <A>(
  hook: HookName,
  { status, text }: HookAnswer,
  read: ReadAnswer<A>
): Result.Result<A, HookFailed> => {
  if (status !== 200) return Result.fail(returned(hook, status))
  const json = decodeJson(text)
  if (text === undefined || Option.isNone(json)) {
    return Result.fail(new HookFailed({ hook, status, what: "returned 200 without a complete JSON body" }))
  }
  if (namesFieldTwice(text, json.value)) {
    return Result.fail(new HookFailed({ hook, status, what: "returned 200 with JSON that names a field twice" }))
  }
  return Result.mapError(
    read(json.value),
    ({ message }) => new HookFailed({ hook, status, what: `returned 200. ${message}` })
  )
}

const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const targets = yield* TargetPolicy
  const signer = yield* WebhookSigner
  const { responseLimitBytes, timeout } = yield* HookSettings

  const exchange = Effect.fnUntraced(function* (
    { attempt = 1, body: value, environment, id, target, topic }: HookCall,
    received: Received
  ) {
    yield* targets.check(target.url)
    const body = utf8.encode(JSON.stringify(value))
    const headers = yield* signer.sign({ event: { id, topic, environment }, body, attempt }, [target.secret])
    const response = yield* client.execute(toRequest({ url: target.url, headers, body }))
    received.status = response.status
    received.dateMillis = dateOf(response.headers.date)
    received.text = textOf(yield* Effect.orElseSucceed(readWhole(response.stream, responseLimitBytes), () => undefined))
  })

  /** Returns why the exchange failed, or `undefined` if it completed. */
  const attempt = (call: HookCall, received: Received): Effect.Effect<string | undefined> =>
    exchange(call, received).pipe(
      Effect.as(undefined),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed("timeout") }),
      Effect.catch((error) => Effect.succeed(SendFailure.fromError(error))),
      Effect.catchDefect((defect) => Effect.succeed(SendFailure.fromError(defect)))
    )

  const call = Effect.fnUntraced(
    function* (call: HookCall) {
      const received: Received = { status: undefined, dateMillis: undefined, text: undefined }
      const failure = yield* attempt(call, received)
      const { dateMillis, status, text } = received
      yield* Effect.annotateCurrentSpan({ hook: call.hook, "http.response.status_code": status ?? failure })
      if (status === undefined) {
        return yield* new HookFailed({ hook: call.hook, what: `did not respond: ${failure ?? "failed"}` })
      }
      return { status, dateMillis, text }
    },
    // Switches off the client's tracing. Its span would contain the url, and the platform would get trace headers.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    // `fetch` follows redirects by default, unlike undici and `node:http`.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.withSpan("HookCaller.call", undefined, { captureStackTrace: false })
  )

  const tell = (told: HookCall) =>
    Effect.flatMap(call(told), (answer) => Effect.fromResult(readTold(told.hook, answer))).pipe(countCall(told.hook))

  const ask = <A>(asked: HookCall, read: ReadAnswer<A>) =>
    Effect.flatMap(call(asked), (answer) => Effect.fromResult(readReply(asked.hook, answer, read))).pipe(
      countCall(asked.hook)
    )

  return HookCaller.of({ call, ask, tell })
})

export const layer: Layer.Layer<HookCaller, never, HttpClient.HttpClient | TargetPolicy | WebhookSigner> = Layer.effect(
  HookCaller,
  make
)
