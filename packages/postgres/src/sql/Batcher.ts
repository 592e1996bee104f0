import { Effect, Exit, Latch, type Scope, Semaphore } from "effect"

/** What a caller waits for. */
export interface Waiting<I, A, E> {
  readonly input: I
  /** Answers the caller; only the first answer counts. */
  readonly answer: (exit: Exit.Exit<A, E>) => void
}

/** What a batch leaves unanswered. */
export interface Rest<I, A, E> {
  /** To be taken up with a later batch. */
  readonly later: ReadonlyArray<Waiting<I, A, E>>
  /** To be worked on each by itself. */
  readonly alone: ReadonlyArray<Waiting<I, A, E>>
}

export interface BatcherOptions<I, A, E> {
  readonly maxBatch: number
  /** How many batches may be under way. */
  readonly atOnce: number
  /** How many inputs may be worked on by themselves, beside the batches. */
  readonly aloneAtOnce: number
  /** What an input needs for itself: two that share a key are never under way together. */
  readonly keysOf: (input: I) => ReadonlyArray<string>
  /**
   * Works on a batch and answers its inputs, but for those that it gives back. It runs in a fiber of the batcher's,
   * without the callers' contexts, and whatever becomes of them.
   */
  readonly run: (batch: ReadonlyArray<Waiting<I, A, E>>) => Effect.Effect<Rest<I, A, E>>
  /** Works on an input that a batch gave back, in a fiber of its own. */
  readonly runAlone: (input: I) => Effect.Effect<A, E>
}

/** Answers an input, together with others that come at the same time or alone. */
export type Batcher<I, A, E> = (input: I) => Effect.Effect<A, E>

interface Entry<I, A, E> extends Waiting<I, A, E> {
  readonly keys: ReadonlyArray<string>
  /** Nobody waits any more: it was answered, or its caller went away. */
  over: boolean
}

/** The inputs that wait, in their order, and the keys of those that are under way. */
class Line<I, A, E> {
  private readonly busy = new Set<string>()
  private waiting: Array<Entry<I, A, E>> = []

  join(entry: Entry<I, A, E>): void {
    this.waiting.push(entry)
  }

  /** The first ones whose keys are free, at most `limit`. */
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

  /** Frees the keys of those that are no longer under way, and puts some of them back in front. */
  leave(entries: ReadonlyArray<Entry<I, A, E>>, back: ReadonlyArray<Entry<I, A, E>>): void {
    for (const entry of entries) for (const key of entry.keys) this.busy.delete(key)
    this.waiting = back.concat(this.waiting)
  }
}

/** Answers those that nobody has answered. */
const failRest = <I, A, E>(entries: ReadonlyArray<Entry<I, A, E>>, exit: Exit.Exit<unknown>): void => {
  for (const entry of entries) {
    if (entry.over) continue
    entry.answer(
      Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.die(new Error("a batch left an input unanswered"))
    )
  }
}

/**
 * Batches by themselves: while `atOnce` batches are under way, what arrives waits and makes up the next one; when none
 * is, nothing waits. So a batch is as large as the load asks for, and an idle server answers at once.
 *
 * A caller that is interrupted before its input was taken up takes it back; later it only stops waiting. The scope's
 * end waits until everything that was taken on is answered.
 */
export const make = <I, A, E>(options: BatcherOptions<I, A, E>): Effect.Effect<Batcher<I, A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const places = Semaphore.makeUnsafe(options.aloneAtOnce)
    const idle = Latch.makeUnsafe(true)
    const line = new Line<I, A, E>()
    let batches = 0
    let alone = 0

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
      failRest(
        done.filter((entry) => !later.includes(entry)),
        exit
      )
    })

    /** Works until nothing is left to be taken. It begins after those that arrive in the same turn as the first. */
    const work = Effect.gen(function* () {
      yield* Effect.yieldNow
      for (let batch = line.take(options.maxBatch); batch.length > 0; batch = line.take(options.maxBatch)) {
        yield* workTogether(batch)
      }
      batches -= 1
      yield* openWhenIdle
    })

    const start = (): void => {
      if (batches >= options.atOnce) return
      batches += 1
      idle.closeUnsafe()
      fork(work)
    }

    yield* Effect.addFinalizer(() => idle.await)

    return (input) =>
      Effect.callback((resume) => {
        const entry: Entry<I, A, E> = {
          input,
          keys: options.keysOf(input),
          over: false,
          answer: (exit) => {
            entry.over = true
            resume(exit)
          }
        }
        line.join(entry)
        start()
        return Effect.sync(() => {
          entry.over = true
        })
      })
  })
