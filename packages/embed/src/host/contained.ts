import { Predicate, Result } from "effect"

/**
 * Keeps an unawaited promise from ending the process. `failed` gets its rejection, or what reading the answer threw,
 * because `then` may be a getter.
 */
export const contain = (answer: unknown, failed: (cause: unknown) => void = () => {}): void => {
  const looked = Result.try({
    try: () => void (Predicate.isPromiseLike(answer) && Promise.resolve(answer).catch(failed)),
    catch: (cause) => cause
  })
  if (Result.isFailure(looked)) failed(looked.failure)
}

/**
 * A host's callback whose result is ignored. Its errors and rejections go to `failed`, and do not end the request or
 * the process.
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
