import type { HeaderFields } from "./body/HeaderFields.js"
import { isStream, type ReceivableBody, readBody } from "./body/readBody.js"
import type { Claim, DedupeStore } from "./DedupeStore.js"
import { memoryStore } from "./memoryStore.js"
import type { Secrets } from "./signature/Secrets.js"
import { failure, type WebhookFailure } from "./Verification.js"
import { verify, type WebhookVerification } from "./verify.js"
import type { WebhookEvent } from "./WebhookEvent.js"

export interface HandlerOptions {
  /** The endpoint's secret (`whsec_…`), or several during a rotation. */
  readonly secrets: Secrets
  /**
   * Processes an event. If it throws, the response is 500. It can run again for the same event: after it
   * throws, after the claim expires, or once the store has forgotten the event.
   */
  readonly onEvent: (event: WebhookEvent) => Promise<void> | void
  /** Remembers processed events. Default: `memoryStore()`, which suits a single process. */
  readonly store?: DedupeStore
  /** Maximum difference between a delivery's time and now, in seconds, in either direction. Default 300. */
  readonly toleranceSeconds?: number
  /** Maximum size of a streamed body, in bytes. A larger body gets a 413. Default 1,048,576 (1 MiB). */
  readonly maxBodyBytes?: number
  /**
   * Called for every delivery that fails verification, so that you can log it. Not called for a 405 or 413. By default,
   * only faults on your own side are logged, once per reason, with `console.error`.
   */
  readonly onRefused?: (failure: WebhookFailure) => void
  /** Called with errors from `onEvent` or the store. Default: `console.error`. */
  readonly onError?: (error: unknown, event: WebhookEvent) => void
}

/**
 * The outcome of a delivery.
 *
 * - `processed`: `onEvent` completed. 200.
 * - `duplicate`: `onEvent` had already completed and does not run again. 200.
 * - `running`: another delivery of this event holds its claim, or the store has no room for a new claim. 503 with
 *   `Retry-After`, so the sender retries and learns the outcome.
 * - `refused`: verification failed (400, with the reason), the request is not a POST (405), or its body is too long
 *   (413). For `invalid_secret` and `body_not_raw`, 500.
 * - `failed`: `onEvent` threw, so the claim is released (500), or the store failed before `onEvent` ran (503).
 */
export type Outcome = "processed" | "duplicate" | "running" | "refused" | "failed"

/** The response to the sender. `body` is JSON with the outcome and, for a rejected delivery, the details. */
export interface Answer {
  readonly outcome: Outcome
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Handler {
  /**
   * Handles a web request, for frameworks that provide one. Rejects only with errors thrown by `onRefused` or
   * `onError`.
   */
  (request: Request): Promise<Response>
  /**
   * Handles a delivery, for all other frameworks. Takes its headers and body, and returns the response to send. The
   * body may be a Node request. Rejects only with errors thrown by `onRefused` or `onError`.
   */
  readonly receive: (delivery: { readonly headers: HeaderFields; readonly body: ReceivableBody }) => Promise<Answer>
}

/**
 * Creates a webhook receiver, which verifies deliveries and runs `onEvent` for each new event. Its response tells the
 * sender whether to retry.
 *
 * It claims an event by its id before `onEvent` runs. Only one of two concurrent deliveries of an event therefore runs
 * `onEvent`. The claim is released if `onEvent` fails. If the process dies, the claim expires, and the next delivery
 * runs `onEvent` again.
 *
 * @example
 * import { createHandler } from "@surety/verifier"
 *
 * const handler = createHandler({
 *   secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
 *   onEvent: async (event) => console.log(event.id, event.topic)
 * })
 * const response = await handler(new Request("https://shop.example/webhooks", { method: "POST", body: "{}" }))
 * console.log(response.status) // 400: not signed
 */
export const createHandler = (options: HandlerOptions): Handler => {
  const { store = memoryStore(), maxBodyBytes = 1_048_576, onRefused = tellingOwnFaults() } = options

  const receive: Handler["receive"] = async ({ headers, body }) => {
    const raw = await readBody(body, maxBodyBytes).catch((): typeof unreadable => unreadable)
    if (raw === undefined) return answer("refused", 413, { message: `The body has more than ${maxBodyBytes} bytes.` })
    const verification: WebhookVerification =
      raw === unreadable
        ? failure("body_not_raw", "The body's stream failed before its end, or other code is reading it.")
        : await verify({ body: raw, headers, secrets: options.secrets, toleranceSeconds: options.toleranceSeconds })
    if (verification.ok) return work(options, store, verification.event)
    onRefused(verification)
    return refusal(verification)
  }

  const handle = async (request: Request): Promise<Response> => {
    const { status, headers, body } =
      request.method === "POST"
        ? await receive({ headers: request.headers, body: bodyOf(request) })
        : answer("refused", 405, { message: "Deliveries are sent by POST." }, { allow: "POST" })
    return new Response(body, { status, headers })
  }
  return Object.assign(handle, { receive })
}

const unreadable = Symbol("unreadable")

/**
 * Returns the default `onRefused`. It logs only faults on the receiver's side, once per reason, so that
 * unauthenticated senders cannot fill the log.
 */
const tellingOwnFaults = (): ((refused: WebhookFailure) => void) => {
  const told = new Set<string>()
  return (refused) => {
    if (!isOwnFault(refused) || told.has(refused.reason)) return
    told.add(refused.reason)
    // biome-ignore lint/suspicious/noConsole: a misconfigured receiver must not fail silently; onRefused replaces this
    console.error(`Webhook delivery refused (${refused.reason}): ${refused.message}`)
  }
}

const isOwnFault = ({ reason }: WebhookFailure): boolean => reason === "invalid_secret" || reason === "body_not_raw"

const claimStates: ReadonlySet<string> = new Set(["claimed", "running", "completed"] satisfies Array<Claim["state"]>)

const work = async (options: HandlerOptions, store: DedupeStore, event: WebhookEvent): Promise<Answer> => {
  const report = (error: unknown) =>
    options.onError === undefined
      ? // biome-ignore lint/suspicious/noConsole: an error in the merchant's code must not be lost; onError replaces this
        console.error(`Webhook event ${event.id} (${event.topic}) failed:`, error)
      : options.onError(error, event)
  // A store that fails to complete or release a claim does not change the event's outcome, since the claim expires.
  const settle = async (step: () => Promise<void> | void) => {
    try {
      await step()
    } catch (error) {
      report(error)
    }
  }

  let claim: Claim
  try {
    claim = await store.claim(event.id)
    if (!claimStates.has(claim.state)) throw new Error(`The dedupe store returned an unknown claim: ${claim.state}.`)
  } catch (error) {
    report(error)
    return answer("failed", 503, {}, retryAfter)
  }
  if (claim.state === "completed") return answer("duplicate", 200)
  if (claim.state === "running") return answer("running", 503, {}, retryAfter)
  const granted = claim
  try {
    await options.onEvent(event)
  } catch (error) {
    await settle(() => granted.release())
    report(error)
    return answer("failed", 500)
  }
  await settle(() => granted.complete())
  return answer("processed", 200)
}

const bodyOf = (request: Request): ReceivableBody => {
  const stream: unknown = request.body
  if (request.bodyUsed) return ""
  return isStream(stream) ? stream : whole(request)
}

/** Yields the request's body as one chunk, for runtimes without iterable streams and for requests without a body. */
async function* whole(request: Request): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await request.arrayBuffer())
}

/** The `Retry-After` of a 503, in seconds. Close to the sender's own delay before its second attempt. */
const retryAfter = { "retry-after": "5" }

const refusal = (refused: WebhookFailure): Answer =>
  isOwnFault(refused)
    ? answer("refused", 500, { reason: refused.reason })
    : answer("refused", 400, { reason: refused.reason, message: refused.message })

const answer = (
  outcome: Outcome,
  status: number,
  details: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {}
): Answer => ({
  outcome,
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ outcome, ...details })
})
