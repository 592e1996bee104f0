export const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Calls `ask` repeatedly, even if it fails, until it returns a value other than `undefined`. On timeout, rejects with
 * an error that names `what` and the last error of `ask`, if any.
 */
export const until = async <A>(
  what: string,
  withinSeconds: number,
  ask: () => Promise<A | undefined> | A | undefined
): Promise<A> => {
  const deadline = performance.now() + withinSeconds * 1_000
  let reason = ""
  while (performance.now() < deadline) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch((error: unknown) => {
        reason = `: ${error instanceof Error ? error.message : String(error)}`
        return undefined
      })
    if (answer !== undefined) return answer
    await sleep(200)
  }
  throw new Error(`Waited ${withinSeconds} s in vain for ${what}${reason}`)
}
