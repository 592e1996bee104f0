import { UsageError } from "./SuretyError.js"

/**
 * The key as it is sent. What cannot be one is refused here, unseen: a runtime that refuses a header's value says it
 * in its error.
 */
export const readSecretKey = (apiKey: unknown): string => {
  if (typeof apiKey === "string" && /^sk_(?:test|live)_\w+$/u.test(apiKey)) return apiKey
  const is = apiKey === undefined || apiKey === "" ? "is missing" : "is not of that form"
  throw new UsageError(`apiKey is the secret key of your backend, sk_test_… or sk_live_…; what was given ${is}.`)
}

/** A text without the key. */
export const withoutKey = (text: string, apiKey: string): string => text.replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)
