import { UsageError } from "../SuretyError.js"

/**
 * The key as it is sent. An invalid one is rejected here without being shown: a runtime that rejects a header's value
 * quotes it in its error.
 */
export const readSecretKey = (apiKey: unknown): string => {
  if (typeof apiKey === "string" && /^sk_(?:test|live)_\w+$/u.test(apiKey)) return apiKey
  const is = apiKey === undefined || apiKey === "" ? "is missing" : "is not of that form"
  throw new UsageError(`apiKey is the secret key of your backend, sk_test_… or sk_live_…; what was given ${is}.`)
}

/** A string with the key removed. */
export const withoutKey = (text: string, apiKey: string): string => text.replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)
