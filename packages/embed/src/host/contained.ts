import { Predicate, Result } from "effect"

/** Lets no promise that nobody waits for end the process. */
export const contain = (answer: unknown, failed: (cause: unknown) => void = () => {}): void => {
  if (Predicate.isPromiseLike(answer)) Promise.resolve(answer).catch(failed)
}

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
    else contain(done.success, failed)
  }
