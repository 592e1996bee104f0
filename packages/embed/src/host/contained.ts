import { Predicate, Result } from "effect"

/**
 * Keeps a promise that is not awaited from ending the process. `failed` gets its rejection, or what looking at the answer
 * threw: a `then` may be a getter.
 */
export const contain = (answer: unknown, failed: (cause: unknown) => void = () => {}): void => {
  const looked = Result.try({
    try: () => void (Predicate.isPromiseLike(answer) && Promise.resolve(answer).catch(failed)),
    catch: (cause) => cause
  })
  if (Result.isFailure(looked)) failed(looked.failure)
}

/**
 * A callback of the host's whose answer is not used. What it throws, and what its promise rejects with, goes to `failed`
 * instead of ending the request or the process.
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
