import { Predicate, Result } from "effect"

/**
 * Keeps an unawaited promise from ending the process. `failed` receives its rejection, or the error thrown by reading
 * `then`, which may be a getter.
 */
export const contain = (answer: unknown, failed: (cause: unknown) => void = () => {}): void => {
  const looked = Result.try({
    try: () => void (Predicate.isPromiseLike(answer) && Promise.resolve(answer).catch(failed)),
    catch: (cause) => cause
  })
  if (Result.isFailure(looked)) failed(looked.failure)
}

/**
 * Wraps a host's callback whose result is ignored. Its errors and rejections go to `failed` and end neither the request
 * nor the process.
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
