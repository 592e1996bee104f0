import { UsageError } from "../SuretyError.js"

/**
 * Returns the key if it is well formed. Throws `UsageError` otherwise, without showing the key. Without this check, a
 * runtime that rejects the header might quote the key in its error.
 */
export const readSecretKey = (apiKey: unknown): string => {
  if (typeof apiKey === "string" && /^sk_(?:test|live)_\w+$/u.test(apiKey)) return apiKey
  const is = apiKey === undefined || apiKey === "" ? "is missing" : "does not have that form"
  throw new UsageError(`apiKey must be your backend's secret key, sk_test_… or sk_live_…; the given value ${is}.`)
}

/** Replaces the key in a string with its first eight characters, `sk_test_` or `sk_live_`. */
export const withoutKey = (text: string, apiKey: string): string => text.replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)
