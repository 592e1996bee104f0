import { Predicate, Result } from "effect"

/**
 * A callback of the host's that nobody waits for. What it throws, or what a promise of its rejects with, goes to
 * `failed` instead of ending the request or the process.
 */
export const contained =
  <Args extends ReadonlyArray<unknown>>(
    callback: (...args: Args) => unknown,
    failed: (cause: unknown) => void
  ): ((...args: Args) => void) =>
  (...args) => {
    const done = Result.try({ try: () => callback(...args), catch: (cause) => cause })
    if (Result.isFailure(done)) failed(done.failure)
    else if (Predicate.isPromiseLike(done.success)) Promise.resolve(done.success).catch(failed)
  }
