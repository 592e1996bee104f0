import { Context, DateTime, Duration, Effect, Layer, Metric, Schedule, Semaphore } from "effect"
import { innermostMessage } from "../innermostMessage.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"
import type { RequestEntry } from "./RequestEntry.js"
import { type RequestFilter, RequestStore } from "./RequestStore.js"

/** How long an entry is stored. */
export const keptFor = Duration.days(7)

/** Interval at which collected entries are stored. */
export const storeEvery = Duration.seconds(1)

/** Interval at which old entries are deleted. */
export const forgetEvery = Duration.minutes(10)

const forgottenAtOnce = 5_000
const storedAtOnce = 1_000

/**
 * Maximum number of entries waiting to be stored. Further entries are dropped, so a database outage does not exhaust
 * memory.
 */
const mostWaiting = 20_000

/**
 * Counter of entries dropped because too many were waiting, and of entries whose batch failed. A failed batch may still
 * have been stored.
 */
export const droppedEntries = Metric.counter("request_log_dropped_total", {
  description: "Request log entries dropped because the database did not accept them",
  incremental: true
})

/**
 * Merchants' requests and their outcomes, for diagnosis rather than audit. Entries are collected in memory and stored
 * in batches, so requests do not wait for them. A crash loses the entries that are not yet stored.
 */
export class Requests extends Context.Service<
  Requests,
  {
    /** Queues an entry to be stored, or drops it if too many are waiting. Never fails or blocks. */
    readonly note: (entry: RequestEntry) => void

    /** Stores the collected entries. Runs every `storeEvery`, before each `list`, and when the layer's scope ends. */
    readonly store: Effect.Effect<void>

    /**
     * Lists the merchant's entries in one environment, most recently stored first. Stores this process's collected
     * entries before reading, so that the list includes them.
     */
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

    /** A failed batch is not retried: it may have been stored, and a retry would duplicate its entries. */
    const storeBatch = (batch: ReadonlyArray<RequestEntry>) =>
      Effect.catch(store.append(batch), (error) => {
        dropped += batch.length
        return Effect.logDebug("Request log entries dropped", innermostMessage(error))
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

/** Deletes entries older than `keptFor`, in batches of 5,000. */
export const worker = Worker.make(
  { name: "Deletion of old request log entries", every: forgetEvery },
  Effect.gen(function* () {
    const store = yield* RequestStore
    const before = DateTime.subtractDuration(yield* DateTime.now, keptFor)
    while ((yield* store.forget(before, forgottenAtOnce)) >= forgottenAtOnce) yield* Effect.yieldNow
  })
)
