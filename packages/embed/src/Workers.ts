import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import type { EndpointId } from "@surety/core/Ids"
import * as Core from "@surety/core/Surety"
import type { Worker } from "@surety/core/Worker"
import type * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import * as SigningSecrets from "@surety/webhooks/send/SigningSecrets"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import { DateTime, Duration, Effect, Exit, Layer, Result, Scope } from "effect"
import type { CallServices } from "./Call.js"
import { named } from "./Outcome.js"
import { WebhooksNotSigned } from "./WebhooksNotSigned.js"

/** Background work, such as queued calls, webhooks, recovery from crashes, expiry and deletion of old records. */
export interface Workers {
  /** Starts the workers. A no-op if they are running. Several processes may run workers on one database. */
  readonly start: () => Promise<void>
  /**
   * Stops the workers. A no-op if they are not running. Webhook attempts in flight have up to 20 seconds to finish, and
   * events in flight to the host up to 6. Other work is interrupted, and the next workers to run resume it.
   */
  readonly stop: () => Promise<void>
  /**
   * Performs the due requests of `hostRequests`, and sends due webhooks and events for the host until none is due.
   * Other work, such as recovery, expiry and deletion of old records, gets one round. Does not wait for webhook retries
   * that are due later, for retries of events, or for events queued behind those. Use it in a cron job, a serverless
   * function or a test. Other processes may run workers at the same time. Rejects if the queues of webhooks and events
   * cannot be read. Rejects with `WebhooksNotSigned`, after all other work, if webhooks wait that cannot be signed.
   *
   * @example
   * await surety.workers.runOnce() // on your platform's schedule
   */
  readonly runOnce: () => Promise<void>
  /**
   * Resolves once no webhook and no event for the host is due. Does not wait for webhook retries that are due later,
   * for retries of events, or for events queued behind those. Sends nothing, so this or another process must run the
   * workers. Rejects if the store fails. Rejects with `WebhooksNotSigned` once only webhooks are due that this process's
   * secret keys cannot sign.
   */
  readonly drain: () => Promise<void>
  readonly isRunning: () => boolean
}

/** Interval at which the queues are checked until no work is due. */
const lookEvery = Duration.millis(20)

/** Maximum number of endpoints whose secrets are tried at a time. */
const triedAtOnce = 100

/**
 * Makes a check that returns true if webhooks are due that can be signed, and records the endpoints whose webhooks
 * cannot in `unsigned`.
 */
const makeIsWebhookDue = Effect.fnUntraced(function* (unsigned: Map<EndpointId, SigningSecrets.SigningFailure>) {
  const queue = yield* DeliveryQueue
  const check = yield* SigningSecrets.makeCheck
  return Effect.gen(function* () {
    while (true) {
      const due = yield* queue.dueEndpoints(yield* DateTime.now, triedAtOnce, [...unsigned.keys()])
      if (due.length === 0) return false
      for (const endpoint of due) {
        const checked = yield* Effect.result(check(endpoint))
        if (Result.isSuccess(checked)) return true
        unsigned.set(endpoint.id, checked.failure)
      }
    }
  })
})

/**
 * Returns true if events are waiting to be sent to the host. Excludes an event whose last attempt failed, and events
 * queued behind it.
 */
const isPlatformEventDue = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  return (yield* feed.stats(yield* DateTime.now, 1)).healthy > 0
})

type Sending = Layer.Layer<never, never, Layer.Services<typeof NodeWebhooks.layer> | PlatformFeed>
type Needs = Core.RoundNeeds | DeliveryQueue | Layer.Services<Sending> | CallServices

/** Work that `make` adds to core's workers: sending webhooks and events, and performing the host's queued calls. */
export interface Sent {
  readonly layer: Sending
  /** True if events are sent to the host. */
  readonly toPlatform: boolean
  /** Worker that performs the host's queued calls. */
  readonly requests: Worker<CallServices>
}

/** Builds the workers. `checkOpen` throws once Surety is closed. `run` provides the services. */
export const make = (
  { layer: webhooks, requests, toPlatform }: Sent,
  checkOpen: () => void,
  run: <A, E>(work: Effect.Effect<A, E, Needs>) => Promise<A>
): Workers => {
  const all = Layer.merge(Core.workers({ webhooks }), requests.layer)
  const round = Effect.andThen(requests.round, Core.round)
  const untilIdle = Effect.gen(function* () {
    const unsigned = new Map<EndpointId, SigningSecrets.SigningFailure>()
    const isWebhookDue = yield* makeIsWebhookDue(unsigned)
    const isAnythingDue = toPlatform
      ? Effect.flatMap(isWebhookDue, (isDue) => (isDue ? Effect.succeed(true) : isPlatformEventDue))
      : isWebhookDue
    while (yield* isAnythingDue) yield* Effect.sleep(lookEvery)
    if (unsigned.size === 0) return
    return yield* new WebhooksNotSigned({
      endpointIds: [...unsigned.keys()],
      reasons: [...new Set([...unsigned.values()].map(({ message }) => message))]
    })
  }).pipe(Effect.provide(WebhookSigner.layer), Effect.mapError(named))
  // Starts, stops and rounds run one at a time, so the second of two concurrent starts finds the workers running.
  let running: Scope.Closeable | undefined
  let turn: Promise<void> = Promise.resolve()
  const next = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }
  const open = (layer: Layer.Layer<never, never, Needs>) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(layer, scope).pipe(
        Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
      )
      return scope
    })
  return {
    start: () =>
      next(async () => {
        checkOpen()
        running ??= await run(open(all))
      }),
    stop: () =>
      next(async () => {
        if (running === undefined) return
        await run(Scope.close(running, Exit.void))
        running = undefined
      }),
    runOnce: () =>
      next(async () => {
        checkOpen()
        await run(Effect.scoped(Effect.andThen(Effect.andThen(round, Layer.build(webhooks)), untilIdle)))
      }),
    drain: async () => {
      checkOpen()
      await run(untilIdle)
    },
    isRunning: () => running !== undefined
  }
}
