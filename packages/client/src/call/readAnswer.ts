import type { Problem } from "../Interface.generated.js"
import type { Failure, Success } from "../Outcome.js"
import { isBoundedJson } from "./isBoundedJson.js"
import { retryAfterMillis } from "./RetryAfter.js"

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum size of a response body: far above any response of the service and far below a backend's memory. */
const longestAnswerBytes = 16 * 1024 * 1024

/** Reads the body as UTF-8. Stops, and returns `undefined`, once it exceeds `most` bytes. */
export const textOf = async ({ body }: Response, most: number): Promise<string | undefined> => {
  if (body === null) return ""
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > most) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

const isProblem = (json: unknown): json is Problem =>
  typeof json === "object" &&
  json !== null &&
  ["code", "title", "detail"].every((name) => typeof Reflect.get(json, name) === "string")

/** Rejects if the connection breaks while the body is being read. */
export const readAnswer = async (response: Response, nowMillis: number): Promise<Success | Failure> => {
  const { headers, status } = response
  const requestId = headers.get("x-request-id")
  const mediaType = headers.get("content-type")?.split(";", 1)[0] ?? "none"
  const waits = retryAfterMillis(headers.get("retry-after"), nowMillis)
  const unexpected = (what: string, garbled = false): Failure => ({
    kind: "unexpected",
    status,
    what,
    garbled,
    requestId,
    retryAfterMillis: waits
  })
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400)
  const isJson = /[/+]json$/u.test(mediaType)
  if (isRedirect || !isJson) {
    await response.body?.cancel()
    return isRedirect
      ? unexpected("got a redirect, which is not followed because it would pass on the API key: check baseUrl")
      : unexpected(
          `got ${status} with a body of type ${mediaType}, which is not the service's: check baseUrl and any proxy in between`
        )
  }
  const text = await textOf(response, longestAnswerBytes)
  if (text === undefined) return unexpected(`got ${status} with a body that is too long`, response.ok)
  if (!isBoundedJson(text)) {
    return unexpected(`got ${status} with JSON that is larger than any response of the service`, response.ok)
  }
  const json = parseJson(text)
  if (response.ok) {
    return json === undefined
      ? unexpected(`got ${status} with an incomplete body`, true)
      : { kind: "success", status, data: json, requestId, replayed: headers.get("idempotent-replayed") === "true" }
  }
  return isProblem(json)
    ? { kind: "problem", status, problem: json, requestId, retryAfterMillis: waits }
    : unexpected(`got ${status} with JSON that is not a problem of the service`)
}
