import type { CallReport } from "../CallError.js"
import type { Settings } from "../ClientOptions.js"
import { type Answered, bodyText, type Given, type OperationId, urlOf } from "../Given.js"
import { errorOf, type Failure, type Success } from "../Outcome.js"
import type { Route } from "../Route.js"
import { routes } from "../Routes.generated.js"
import { attempt } from "./attempt.js"
import { type KeyedCallOptions, type Patience, readIdempotencyKey, readPatience } from "./CallOptions.js"
import { noAnswer } from "./NoAnswer.js"
import { pause } from "./pause.js"
import { mayHaveTakenEffect, retryDelay, settlesTheOutcome } from "./RetryPolicy.js"
import type { Runtime } from "./Runtime.js"
import { readAnswer } from "./readAnswer.js"

/** A call's response with its metadata. */
export interface Reply<T> {
  readonly data: T
  readonly status: number
  readonly requestId: string
  readonly attempts: number
  /** True if the response is a replay: an earlier attempt or call with the same idempotency key took effect. */
  readonly replayed: boolean
  readonly idempotencyKey: string | undefined
}

/**
 * Calls an operation and, within the call's limits, retries it if that may help and is safe. Rejects with `CallError`
 * or `UsageError`.
 */
export type Send = <Id extends OperationId>(
  operation: Id,
  given: Given<Id>,
  options?: KeyedCallOptions
) => Promise<Reply<Answered<Id>>>

/** A call's request, limits and abort signal, the same for every attempt. */
interface Call {
  readonly operation: OperationId
  readonly route: Route
  readonly url: string
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
  readonly signal: AbortSignal | undefined
  readonly patience: Patience
}

const headersOf = (call: Call, apiKey: string, requestId: string): Record<string, string> => ({
  accept: "application/json, application/problem+json",
  authorization: `Bearer ${apiKey}`,
  "user-agent": "Service-Client/1.0",
  "x-request-id": requestId,
  ...(call.body === undefined ? {} : { "content-type": "application/json" }),
  ...(call.idempotencyKey === undefined ? {} : { "idempotency-key": call.idempotencyKey })
})

const openCall = (
  operation: OperationId,
  given: Given<OperationId>,
  options: KeyedCallOptions,
  { settings, newId }: { readonly settings: Settings; readonly newId: () => string }
): Call => {
  const route = routes[operation]
  return {
    operation,
    route,
    url: settings.baseUrl + urlOf(route, given),
    body: bodyText(given.body),
    idempotencyKey: route.keyed ? readIdempotencyKey(options.idempotencyKey ?? newId()) : undefined,
    signal: options.signal,
    patience: readPatience(options, settings.patience)
  }
}

/** Makes attempts until one succeeds, `retryDelay` allows no retry, the limits are reached, or the caller aborts. */
const run = async (call: Call, settings: Settings, runtime: Runtime): Promise<Reply<unknown>> => {
  const { idempotencyKey, operation, patience, route, signal } = call
  const endsAt = runtime.elapsedMillis() + patience.deadlineMillis
  let isOpen = false

  const attemptAs = (requestId: string): Promise<Success | Failure> => {
    if (signal?.aborted) return Promise.resolve({ kind: "aborted", reason: signal.reason, notSent: true })
    const leftMillis = Math.max(0, endsAt - runtime.elapsedMillis())
    const deadline = leftMillis <= patience.timeoutMillis
    const exchange = async (ends: AbortSignal) => {
      const headers = headersOf(call, settings.apiKey, requestId)
      const body = call.body === undefined ? {} : { body: call.body }
      const init = { method: route.method, headers, redirect: "manual", signal: ends, ...body } as const
      return readAnswer(await runtime.fetch(call.url, init), runtime.nowMillis())
    }
    const limit = deadline ? patience.deadlineMillis : patience.timeoutMillis
    return attempt(exchange, (error) => noAnswer(error, settings.apiKey), {
      millis: deadline ? leftMillis : limit,
      timedOut: { kind: "timeout", millis: limit, deadline },
      signal
    })
  }

  for (let attempts = 1; ; attempts++) {
    const ownRequestId = runtime.newId()
    const outcome = await attemptAs(ownRequestId)
    const requestId = ("requestId" in outcome ? outcome.requestId : null) ?? ownRequestId
    if (outcome.kind === "success") {
      const { data, replayed, status } = outcome
      return { data, status, requestId, attempts, replayed, idempotencyKey }
    }
    isOpen = settlesTheOutcome(outcome, route) ? false : isOpen || mayHaveTakenEffect(outcome, route)
    const report: CallReport = { operation, attempts, requestId, idempotencyKey, mayHaveTakenEffect: isOpen }
    const error = errorOf(outcome, report)
    const delayMillis =
      attempts > patience.maxRetries ? undefined : retryDelay(outcome, route, attempts, runtime.random())
    if (delayMillis === undefined || runtime.elapsedMillis() + delayMillis >= endsAt) throw error
    settings.onRetry({ error, delayMillis })
    if ((await pause(delayMillis, signal)) === "aborted") {
      throw errorOf({ kind: "aborted", reason: signal?.reason, notSent: true }, report)
    }
  }
}

export const makeSend = (settings: Settings, runtime: Runtime): Send => {
  const send = async (operation: OperationId, given: Given<OperationId>, options: KeyedCallOptions = {}) =>
    run(openCall(operation, given, options, { settings, newId: runtime.newId }), settings, runtime)
  // The service's contract guarantees the response type.
  return send as Send
}
