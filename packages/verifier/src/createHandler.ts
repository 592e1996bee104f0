import type { Claim, DedupeStore } from "./DedupeStore.js"
import type { HeaderFields } from "./HeaderFields.js"
import { memoryStore } from "./memoryStore.js"
import { isStream, type ReceivableBody, readBody } from "./readBody.js"
import type { Secrets } from "./Secrets.js"
import { type Failure, failure } from "./Verification.js"
import { type Verification, verify } from "./verify.js"
import type { WebhookEvent } from "./WebhookEvent.js"

export interface HandlerOptions {
  /** The endpoint's secret (`whsec_…`), or several of them during a rotation. */
  readonly secrets: Secrets
  /** Your work: runs once per event. What it throws makes the answer a 500, and the event is sent again later. */
  readonly onEvent: (event: WebhookEvent) => Promise<void> | void
  /** Which events are dealt with. Default: `memoryStore()`, which is right for one process. */
  readonly store?: DedupeStore
  /** How far a delivery's time may be from now, in seconds, both ways. Default 300. */
  readonly toleranceSeconds?: number
  /** A streamed body that is longer is answered 413. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Told of every delivery that was refused, for your log. Default: what your own side did wrong goes to `console.error`, once. */
  readonly onRefused?: (failure: Failure) => void
  /** Told what `onEvent` or the store threw. Default: `console.error`. */
  readonly onError?: (error: unknown, event: WebhookEvent) => void
}

/**
 * What became of a delivery.
 *
 * - `processed`: `onEvent` ran to its end. 200.
 * - `duplicate`: it had done so before. 200, and it does not run again.
 * - `running`: it is at work on this event right now. 503 with `Retry-After`, so the sender comes back and learns the end.
 * - `refused`: not a delivery to believe, with the reason. 400; 405 and 413 for what is no delivery at all; 500 when your
 *   own side is set up wrongly (`invalid_secret`, `body_not_raw`), since the sender can do nothing about it.
 * - `failed`: `onEvent` threw (500) or the store did before it ran (503). The claim is released.
 */
export type Outcome = "processed" | "duplicate" | "running" | "refused" | "failed"

/** What to answer the sender. */
export interface Answer {
  readonly outcome: Outcome
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Handler {
  /** For every framework that speaks web requests. Rejects only with what `onRefused` or `onError` throw. */
  (request: Request): Promise<Response>
  /** For all others: takes what they give, tells what to answer. A Node request itself may be the body. */
  readonly receive: (delivery: { readonly headers: HeaderFields; readonly body: ReceivableBody }) => Promise<Answer>
}

/**
 * A webhook receiver: verifies a delivery, sees to it that each event is worked on once, and answers so that the sender
 * knows whether to come again.
 *
 * An event is claimed by its id before `onEvent` runs, so that of two deliveries at the same moment one runs; the claim is
 * released when it fails. A process that dies in the middle leaves its claim to expire, and the event runs again.
 */
export const createHandler = (options: HandlerOptions): Handler => {
  const { store = memoryStore(), maxBodyBytes = 1_048_576, onRefused = tellingOwnFaults() } = options

  const receive: Handler["receive"] = async ({ headers, body }) => {
    const raw = await readBody(body, maxBodyBytes).catch((): typeof unreadable => unreadable)
    if (raw === undefined) return answer("refused", 413, { message: `A body has at most ${maxBodyBytes} bytes.` })
    const verification: Verification =
      raw === unreadable
        ? failure("body_not_raw", "The body's stream failed before its end, or something else is reading it.")
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

/** Who may send anything must not be able to fill the log: each reason is told of once. */
const tellingOwnFaults = (): ((refused: Failure) => void) => {
  const told = new Set<string>()
  return (refused) => {
    if (!isOwnFault(refused) || told.has(refused.reason)) return
    told.add(refused.reason)
    // biome-ignore lint/suspicious/noConsole: a receiver that is set up wrongly must not be silent about it; onRefused takes its place
    console.error(`Webhook delivery refused (${refused.reason}): ${refused.message}`)
  }
}

const isOwnFault = ({ reason }: Failure): boolean => reason === "invalid_secret" || reason === "body_not_raw"

const work = async (options: HandlerOptions, store: DedupeStore, event: WebhookEvent): Promise<Answer> => {
  const report = (error: unknown) =>
    options.onError === undefined
      ? // biome-ignore lint/suspicious/noConsole: an error of the merchant's own work must not vanish; onError takes its place
        console.error(`Webhook event ${event.id} (${event.topic}) failed:`, error)
      : options.onError(error, event)
  // A store that fails now does not change what became of the event: the claim ends by itself.
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

/** For runtimes whose streams cannot be iterated. */
async function* whole(request: Request): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await request.arrayBuffer())
}

/** In seconds; the sender's second attempt comes as soon by itself. */
const retryAfter = { "retry-after": "5" }

const refusal = (refused: Failure): Answer =>
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
