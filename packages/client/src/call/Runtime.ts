export interface Runtime {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Returns milliseconds on a monotonic clock. */
  readonly elapsedMillis: () => number
  readonly nowMillis: () => number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  readonly newId: () => string
}

/** The JavaScript runtime's own functions. `fetch` is looked up on each call, so a later replacement takes effect. */
export const platformRuntime: Runtime = {
  fetch: (url, init) => globalThis.fetch(url, init),
  elapsedMillis: () => performance.now(),
  nowMillis: () => Date.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID()
}
