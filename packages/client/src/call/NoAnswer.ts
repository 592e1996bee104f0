import type { Failure } from "../Outcome.js"
import { withoutKey } from "./SecretKey.js"

/** Error codes of Node and Bun that prove no connection was made. */
const neverConnected = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"],
  ...["ConnectionRefused", "FailedToOpenSocket"]
])

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const chainOf = (error: unknown): ReadonlyArray<unknown> => {
  const chain = [error]
  while (chain.length < 5) {
    const cause = property(chain.at(-1), "cause")
    if (cause === undefined) break
    chain.push(cause)
  }
  return chain
}

const texts = (chain: ReadonlyArray<unknown>, name: string): ReadonlyArray<string> =>
  chain.flatMap((link) => {
    const text = property(link, name)
    return typeof text === "string" && text !== "" ? [text] : []
  })

/**
 * Maps an error of `fetch`, or of reading the response, to a failure. Keeps the messages, with the key removed. Drops
 * the error itself, which may hold the request and thus the key.
 */
export const noAnswer = (error: unknown, apiKey: string): Failure => {
  const chain = chainOf(error)
  const [systemCode] = texts(chain, "code")
  const said = [...new Set([...texts(chain, "message"), ...(systemCode === undefined ? [] : [systemCode])])].join(": ")
  return {
    kind: "silence",
    said: withoutKey(said === "" ? "the runtime does not say why" : said, apiKey),
    systemCode: systemCode === undefined ? undefined : withoutKey(systemCode, apiKey),
    notSent: systemCode !== undefined && neverConnected.has(systemCode)
  }
}
