import { Context, DateTime, Duration, Effect, Layer, Metric, Schedule, Semaphore } from "effect"
import { innermostMessage } from "../innermostMessage.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"
import type { RequestEntry } from "./RequestEntry.js"
import { type RequestFilter, RequestStore } from "./RequestStore.js"

/** How long an entry is kept. */
export const keptFor = Duration.days(7)

/** An entry is stored at most this long after its answer. */
export const storeEvery = Duration.seconds(1)

/** How often old entries are deleted. */
export const forgetEvery = Duration.minutes(10)

const forgottenAtOnce = 5_000
const storedAtOnce = 1_000

/** More than a second's worth. Beyond it entries are dropped, so a database that is down costs no memory. */
const mostWaiting = 20_000

/** Entries dropped because the database took none. */
export const droppedEntries = Metric.counter("request_log_dropped_total", {
  description: "Entries of the request log that were dropped, since the database did not take them",
  incremental: true
})

/**
 * Merchants' requests and how they were answered: a diagnosis, not a record. Entries are collected in memory and stored
 * in batches, so no request waits for it, and a crash loses the last second's.
 */
export class Requests extends Context.Service<
  Requests,
  {
    /** Takes an entry, to be stored soon. Never fails and never waits. */
    readonly note: (entry: RequestEntry) => void

    /** Stores what was noted. Runs every `storeEvery`, and at the end of the layer's scope. */
    readonly store: Effect.Effect<void>

    /** The merchant's entries of one environment, newest first, with what this process has noted until now. */
    readonly list: (
      scope: MerchantScope,
      filter: RequestFilter,
      page: PageRequest
    ) => Effect.Effect<Page<RequestEntry>, StoreError>
  }
>()("@surety/core/request/Requests") {}

export const layer: Layer.Layer<Requests, never, RequestStore> = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const store = yield* RequestStore
    let waiting: Array<RequestEntry> = []
    let dropped = 0

    const note = (entry: RequestEntry): void => {
      if (waiting.length < mostWaiting) waiting.push(entry)
      else dropped += 1
    }

    /** A failed batch is dropped: it may have been stored, and would then be listed twice. */
    const storeBatch = (batch: ReadonlyArray<RequestEntry>) =>
      Effect.catch(store.append(batch), (error) => {
        dropped += batch.length
        return Effect.logDebug("Request log entries were dropped", innermostMessage(error))
      })

    const storeWaiting = Effect.suspend(() => {
      const taken = waiting
      waiting = []
      const batches = Array.from({ length: Math.ceil(taken.length / storedAtOnce) }, (_, index) =>
        taken.slice(index * storedAtOnce, (index + 1) * storedAtOnce)
      )
      return Effect.forEach(batches, storeBatch, { discard: true })
    }).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          const count = dropped
          dropped = 0
          return count === 0 ? Effect.void : Metric.update(droppedEntries, count)
        })
      )
    )
    const oneAtATime = Semaphore.makeUnsafe(1).withPermit(storeWaiting)

    const list: Requests["Service"]["list"] = Effect.fn("Requests.list")((scope, filter, page) =>
      Effect.andThen(oneAtATime, store.list(scope, filter, page))
    )

    yield* Effect.addFinalizer(() => oneAtATime)
    yield* Effect.forkScoped(Effect.repeat(oneAtATime, Schedule.spaced(storeEvery)))
    return Requests.of({ note, store: oneAtATime, list })
  })
)

/** Deletes entries older than `keptFor`, in small steps. */
export const worker = Worker.make(
  { name: "Deleting old request log entries", every: forgetEvery },
  Effect.gen(function* () {
    const store = yield* RequestStore
    const before = DateTime.subtractDuration(yield* DateTime.now, keptFor)
    while ((yield* store.forget(before, forgottenAtOnce)) >= forgottenAtOnce) yield* Effect.yieldNow
  })
)
