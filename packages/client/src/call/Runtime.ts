/** What the client needs from its environment. */
export interface Runtime {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Monotonic milliseconds. */
  readonly elapsedMillis: () => number
  readonly nowMillis: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly newId: () => string
}

/** `fetch` is looked up on each call, so that a later replacement is used too. */
export const platformRuntime: Runtime = {
  fetch: (url, init) => globalThis.fetch(url, init),
  elapsedMillis: () => performance.now(),
  nowMillis: () => Date.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID()
}
