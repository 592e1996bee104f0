import { UsageError } from "../SuretyError.js"

interface Surroundings {
  readonly document?: unknown
  readonly importScripts?: unknown
  readonly location?: unknown
}

/**
 * Returns true in a browser. A page has a `document`. A browser's worker has `importScripts` and `location`, of which
 * server runtimes have at most one.
 */
const isBrowser = (around: Surroundings): boolean =>
  typeof around.document === "object" ||
  (typeof around.importScripts === "function" && typeof around.location === "object")

export const assertBackend = (around: Surroundings = globalThis): void => {
  if (!isBrowser(around)) return
  throw new UsageError(
    "This runs in a browser. The interface is for backends only: anyone who opens the page could read the secret " +
      "key and refund in your name. Call your own server from the page, and the service from there."
  )
}
