import { UsageError } from "../SuretyError.js"

/**
 * Returns the key if it is well formed. Rejects an invalid key here without showing it, because a runtime quotes a
 * header value that it rejects.
 */
export const readSecretKey = (apiKey: unknown): string => {
  if (typeof apiKey === "string" && /^sk_(?:test|live)_\w+$/u.test(apiKey)) return apiKey
  const is = apiKey === undefined || apiKey === "" ? "is missing" : "is not of that form"
  throw new UsageError(`apiKey is the secret key of your backend, sk_test_… or sk_live_…; what was given ${is}.`)
}

/** Redacts the key in a string. */
export const withoutKey = (text: string, apiKey: string): string => text.replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)
