import { ByteSize, Effect, Result } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"

/** How large a body may be, unless a route says otherwise (contract 13). */
export const defaultBodyBytes = 256 * 1024

const bodyLimit = ByteSize.fromInputUnsafe(defaultBodyBytes)

const unsupported = (detail: string): Problem => problem("unsupported_media_type", { detail })

/** The rest of the body is still on its way: the caller is told that the connection ends here. */
export const bodyTooLarge = (): Problem => problem("body_too_large", { headers: { connection: "close" } })

const isJson = (contentType: string): boolean => {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase())
  if (type !== "application/json") return false
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-8"?$/.test(parameter))
}

/** What the headers alone say against the body. */
const headerProblem = (request: HttpServerRequest.HttpServerRequest, limit: ByteSize.ByteSize): Problem | undefined => {
  const { "content-encoding": encoding, "content-length": length, "content-type": type } = request.headers
  if (type !== undefined && type !== "application/json" && !isJson(type)) {
    return unsupported("Send Content-Type: application/json, in UTF-8.")
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return unsupported("Compressed bodies are not accepted.")
  }
  return length !== undefined && Number(length) > Number(limit) ? bodyTooLarge() : undefined
}

const readFailure = (error: HttpServerError.HttpServerError): Problem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? bodyTooLarge()
    : problem("invalid_json", { detail: "The body could not be read to its end." })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: ArrayBuffer): Result.Result<string, Problem> =>
  Result.try({
    try: () => utf8.decode(bytes),
    catch: () => problem("invalid_json", { detail: "The body is not valid UTF-8." })
  })

/**
 * The body's text; empty where there is none. It is refused while it streams in as soon as it is larger than `limit`,
 * and at once where its headers say so.
 */
export const readText = (
  request: HttpServerRequest.HttpServerRequest,
  limit: ByteSize.ByteSize = bodyLimit
): Effect.Effect<string, Problem> => {
  const refusal = headerProblem(request, limit)
  if (refusal !== undefined) return Effect.fail(refusal)
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limit),
    Effect.mapError(readFailure),
    Effect.flatMap((bytes) => {
      const text = decode(bytes)
      if (Result.isFailure(text)) return Effect.fail(text.failure)
      return text.success !== "" && request.headers["content-type"] === undefined
        ? Effect.fail(unsupported("Send Content-Type: application/json."))
        : Effect.succeed(text.success)
    })
  )
}
