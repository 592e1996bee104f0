import { Clock, Effect, Exit, type Fiber, Latch, type Scope, Semaphore } from "effect"

export interface Waiting<I, A, E> {
  readonly input: I
  /** Completes the call; only the first exit counts. */
  readonly answer: (exit: Exit.Exit<A, E>) => void
}

/** The inputs that a batch has not completed. */
export interface Rest<I, A, E> {
  /** Inputs to queue for a later batch. */
  readonly later: ReadonlyArray<Waiting<I, A, E>>
  readonly alone: ReadonlyArray<Waiting<I, A, E>>
}

export interface BatcherOptions<I, A, E> {
  readonly maxBatch: number
  /** Maximum number of batches in flight. */
  readonly atOnce: number
  /**
   * Starts another batch alongside those in flight once `waiting` inputs wait, or `slowMillis` after the first began to
   * wait. A few large batches cost less than many small ones. Default: starts immediately.
   */
  readonly beside?: { readonly waiting: number; readonly slowMillis: number }
  /**
   * Pauses between two batches, since callers often call again right after a call completes. The pause ends after
   * `millis`, or once enough inputs wait: the number completed plus the number that were already waiting. If this total
   * exceeds `waiting`, there is no pause, since batches fill anyway. Default: no pause.
   */
  readonly gather?: { readonly waiting: number; readonly millis: number }
  /** Maximum number of inputs that run concurrently outside a batch. */
  readonly aloneAtOnce: number
  /** Returns the keys of an input. Inputs that share a key are never in flight together. */
  readonly keysOf: (input: I) => ReadonlyArray<string>
  /**
   * Runs a batch and completes every input except those it returns. Runs in a fiber of the batcher, so an interrupted
   * caller does not stop it.
   */
  readonly run: (batch: ReadonlyArray<Waiting<I, A, E>>) => Effect.Effect<Rest<I, A, E>>
  /** Runs an input that a batch returned in `alone`, in its own fiber. */
  readonly runAlone: (input: I) => Effect.Effect<A, E>
  /** Time limit of a call, including the wait for a batch. Default: no limit. */
  readonly limit?: { readonly millis: number; readonly error: () => E }
}

/** Runs an input, in a batch or alone. Fails with `limit.error` if the call exceeds the time limit. */
export type Batcher<I, A, E> = (input: I) => Effect.Effect<A, E>

interface Entry<I, A, E> extends Waiting<I, A, E> {
  readonly keys: ReadonlyArray<string>
  /** Set once the call has ended: completed, timed out or interrupted. */
  over: boolean
  /** Number of inputs that were waiting when this one was completed. */
  waiting: number
  /** Time at which the call fails, in epoch milliseconds. Infinity without a limit. */
  readonly endsAt: number
}

/**
 * Ends calls at their time limit. A single fiber watches all of them. A timer per call would cost more than the rest of
 * the batcher. Calls share one limit, so they expire in the order in which they joined.
 */
const makeWatch = <I, A, E>(
  { error, millis }: NonNullable<BatcherOptions<I, A, E>["limit"]>,
  clock: Clock.Clock,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
) => {
  const calls = new Set<Entry<I, A, E>>()
  let watching: Fiber.Fiber<void> | undefined

  const watch: Effect.Effect<void> = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    for (const entry of calls) {
      if (entry.endsAt > now) return Effect.andThen(Effect.sleep(entry.endsAt - now), watch)
      entry.answer(Exit.fail(error()))
    }
    watching = undefined
    return Effect.void
  })

  return {
    endsAt: (): number => clock.currentTimeMillisUnsafe() + millis,
    join: (entry: Entry<I, A, E>): void => {
      calls.add(entry)
      watching ??= fork(watch)
    },
    leave: (entry: Entry<I, A, E>): void => {
      calls.delete(entry)
    },
    stop: Effect.sync(() => watching?.interruptUnsafe())
  }
}

/** Waiting inputs in order, and the keys in flight. */
class Line<I, A, E> {
  private readonly busy = new Set<string>()
  private waiting: Array<Entry<I, A, E>> = []

  get length(): number {
    return this.waiting.length
  }

  join(entry: Entry<I, A, E>): void {
    this.waiting.push(entry)
  }

  /**
   * Removes and returns the first inputs whose keys are free, up to `limit`. Their keys are then in flight. Drops
   * inputs whose call has ended.
   */
  take(limit: number): ReadonlyArray<Entry<I, A, E>> {
    const taken: Array<Entry<I, A, E>> = []
    const left: Array<Entry<I, A, E>> = []
    for (const [index, entry] of this.waiting.entries()) {
      if (taken.length >= limit) {
        this.waiting = left.concat(this.waiting.slice(index))
        return taken
      }
      if (entry.over) continue
      if (entry.keys.some((key) => this.busy.has(key))) {
        left.push(entry)
        continue
      }
      for (const key of entry.keys) this.busy.add(key)
      taken.push(entry)
    }
    this.waiting = left
    return taken
  }

  leave(entries: ReadonlyArray<Entry<I, A, E>>, back: ReadonlyArray<Entry<I, A, E>>): void {
    for (const entry of entries) for (const key of entry.keys) this.busy.delete(key)
    this.waiting = back.concat(this.waiting)
  }
}

interface Gathering {
  /** Number of waiting inputs that ends the pause. */
  readonly enough: number
  readonly end: () => void
}

const failRest = <I, A, E>(entries: ReadonlyArray<Entry<I, A, E>>, exit: Exit.Exit<unknown>): void => {
  for (const entry of entries) {
    if (entry.over) continue
    entry.answer(
      Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.die(new Error("a batch returned no result for an input"))
    )
  }
}

/**
 * Builds a batcher. While `atOnce` batches are in flight, new inputs wait for the next one. Otherwise an input waits
 * only for a key in flight, or because of `beside` or `gather`. Batches therefore grow with the load, and an idle
 * server responds immediately.
 *
 * If a caller is interrupted or reaches its time limit, its input is withdrawn unless it is running. A running input
 * is not stopped; only the caller's wait ends. Closing the scope waits until every accepted input is completed or
 * withdrawn.
 */
export const make = <I, A, E>(options: BatcherOptions<I, A, E>): Effect.Effect<Batcher<I, A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const places = Semaphore.makeUnsafe(options.aloneAtOnce)
    const idle = Latch.makeUnsafe(true)
    const line = new Line<I, A, E>()
    const watch = options.limit && makeWatch<I, A, E>(options.limit, yield* Clock.Clock, fork)
    const { beside } = options
    let batches = 0
    let alone = 0
    let patient = false
    let closing = false
    const gathering = new Set<Gathering>()

    const openWhenIdle = Effect.suspend(() => (batches + alone === 0 ? idle.open : Effect.void))

    const workAlone = Effect.fnUntraced(function* (entry: Entry<I, A, E>) {
      if (!entry.over) entry.answer(yield* Effect.exit(options.runAlone(entry.input)))
      line.leave([entry], [])
      alone -= 1
      start()
    })

    const workTogether = Effect.fnUntraced(function* (batch: ReadonlyArray<Entry<I, A, E>>) {
      const exit = yield* Effect.exit(options.run(batch))
      const rest = Exit.isSuccess(exit) ? exit.value : { later: [], alone: [] }
      const later = batch.filter((entry) => rest.later.includes(entry))
      const apart = batch.filter((entry) => rest.alone.includes(entry))
      alone += apart.length
      for (const entry of apart) fork(places.withPermit(workAlone(entry)))
      const done = batch.filter((entry) => !apart.includes(entry))
      line.leave(done, later)
      const answered = done.filter((entry) => !later.includes(entry))
      failRest(answered, exit)
      yield* gatherAfter(answered)
    })

    /** Waits for the callers of completed inputs to call again (see `gather`). Some may already have called. */
    const gatherAfter = (answered: ReadonlyArray<Entry<I, A, E>>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (options.gather === undefined || closing || answered.length === 0) return Effect.void
        const { millis, waiting } = options.gather
        const enough = answered.length + Math.min(...answered.map((entry) => entry.waiting))
        if (line.length >= enough || enough > waiting) return Effect.void
        return Effect.callback((resume) => {
          const mine: Gathering = {
            enough,
            end: () => {
              if (!gathering.delete(mine)) return
              timer.interruptUnsafe()
              resume(Effect.void)
            }
          }
          gathering.add(mine)
          const timer = fork(Effect.andThen(Effect.sleep(millis), Effect.sync(mine.end)))
        })
      })

    /**
     * Runs batches until no waiting input has free keys. Yields first, so that inputs arriving in the same turn share
     * the first batch.
     */
    const work = Effect.gen(function* () {
      yield* Effect.yieldNow
      for (let batch = line.take(options.maxBatch); batch.length > 0; batch = line.take(options.maxBatch)) {
        yield* workTogether(batch)
      }
      batches -= 1
      yield* openWhenIdle
    })

    const startLater = (millis: number) =>
      Effect.andThen(
        Effect.sleep(millis),
        Effect.sync(() => {
          patient = false
          if (line.length > 0 && batches < options.atOnce) begin()
        })
      )

    const start = (): void => {
      if (gathering.size > 0) {
        const [first] = Array.from(gathering).filter(({ enough }) => line.length >= enough)
        first?.end()
        return
      }
      if (batches >= options.atOnce) return
      if (beside === undefined || batches === 0 || line.length >= beside.waiting) {
        begin()
      } else if (!patient) {
        patient = true
        fork(startLater(beside.slowMillis))
      }
    }

    const begin = (): void => {
      batches += 1
      idle.closeUnsafe()
      fork(work)
    }

    const close = Effect.suspend(() => {
      closing = true
      for (const { end } of gathering) end()
      return Effect.andThen(idle.await, watch?.stop ?? Effect.void)
    })

    yield* Effect.addFinalizer(() => close)

    return (input) =>
      Effect.callback((resume) => {
        const end = (): void => {
          entry.over = true
          watch?.leave(entry)
        }
        const entry: Entry<I, A, E> = {
          input,
          keys: options.keysOf(input),
          over: false,
          waiting: 0,
          endsAt: watch?.endsAt() ?? Number.POSITIVE_INFINITY,
          answer: (exit) => {
            if (!entry.over) entry.waiting = line.length
            end()
            resume(exit)
          }
        }
        line.join(entry)
        watch?.join(entry)
        start()
        return Effect.sync(end)
      })
  })
