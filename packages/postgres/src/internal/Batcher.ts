import { Effect, Exit, Latch, type Scope } from "effect"

/** What a caller waits for. */
export interface Waiting<I, A, E> {
  readonly input: I
  /** Answers the caller; only the first answer counts. */
  readonly answer: (exit: Exit.Exit<A, E>) => void
}

export interface BatcherOptions<I, A, E> {
  readonly maxBatch: number
  /** How many batches may be under way. */
  readonly atOnce: number
  /** What an input needs for itself: two that share a key are never under way together. */
  readonly keysOf: (input: I) => ReadonlyArray<string>
  /**
   * Works on a batch and answers its inputs. What it gives back is taken up again with a later batch. It runs in a
   * fiber of the batcher's, without the callers' contexts, and whatever becomes of them.
   */
  readonly run: (batch: ReadonlyArray<Waiting<I, A, E>>) => Effect.Effect<ReadonlyArray<Waiting<I, A, E>>>
}

/** Answers an input, alone or together with others that come at the same time. */
export type Batcher<I, A, E> = (input: I) => Effect.Effect<A, E>

interface Entry<I, A, E> extends Waiting<I, A, E> {
  readonly keys: ReadonlyArray<string>
  /** Nobody waits any more: it was answered, or its caller went away. */
  over: boolean
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
    const idle = Latch.makeUnsafe(true)
    const busy = new Set<string>()
    let queue: Array<Entry<I, A, E>> = []
    let running = 0

    const take = (): ReadonlyArray<Entry<I, A, E>> => {
      const batch: Array<Entry<I, A, E>> = []
      const left: Array<Entry<I, A, E>> = []
      for (const [index, entry] of queue.entries()) {
        if (batch.length >= options.maxBatch) {
          queue = left.concat(queue.slice(index))
          return batch
        }
        if (entry.over) continue
        if (entry.keys.some((key) => busy.has(key))) {
          left.push(entry)
          continue
        }
        for (const key of entry.keys) busy.add(key)
        batch.push(entry)
      }
      queue = left
      return batch
    }

    const runBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Entry<I, A, E>>) {
      const exit = yield* Effect.exit(options.run(batch))
      const again: ReadonlySet<Waiting<I, A, E>> = new Set(Exit.isSuccess(exit) ? exit.value : [])
      for (const entry of batch) for (const key of entry.keys) busy.delete(key)
      queue = batch.filter((entry) => again.has(entry)).concat(queue)
      for (const entry of batch) {
        if (entry.over || again.has(entry)) continue
        entry.answer(
          Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.die(new Error("a batch left an input unanswered"))
        )
      }
    })

    /** Works until nothing is left to be taken. It begins after those that arrive in the same turn as the first. */
    const work = Effect.gen(function* () {
      yield* Effect.yieldNow
      for (let batch = take(); batch.length > 0; batch = take()) yield* runBatch(batch)
      running -= 1
      if (running === 0) yield* idle.open
    })

    const start = (): void => {
      if (running >= options.atOnce) return
      running += 1
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
        queue.push(entry)
        start()
        return Effect.sync(() => {
          entry.over = true
        })
      })
  })
