import { ByteSize, Effect, Predicate, Result, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"
import { BodyRoomSettings } from "./BodyRoom.js"
import { Utf8Pieces } from "./Utf8Pieces.js"

/** How large a body may be, unless a route says otherwise (contract 13). */
export const defaultBodyBytes = 256 * 1024

/** How large a KYC body may be, which has a selfie of 12,000,000 characters (contract 13). */
export const largeBodyBytes = 16 * 1024 * 1024

const bodyLimit = ByteSize.fromInputUnsafe(defaultBodyBytes)

const unsupported = (detail: string): Problem => problem("unsupported_media_type", { detail })

/** The rest of the body is still on its way: the caller is told that the connection ends here. */
export const bodyTooLarge = (limitBytes = defaultBodyBytes): Problem =>
  problem("body_too_large", {
    detail: `Send at most ${ByteSize.format(ByteSize.fromInputUnsafe(limitBytes))}.`,
    headers: { connection: "close" }
  })

const isJson = (contentType: string): boolean => {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase())
  if (type !== "application/json") return false
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-8"?$/.test(parameter))
}

/** What the headers alone say against the body. */
const headerProblem = (request: HttpServerRequest.HttpServerRequest, limitBytes: number): Problem | undefined => {
  const { "content-encoding": encoding, "content-length": length, "content-type": type } = request.headers
  if (type !== undefined && type !== "application/json" && !isJson(type)) {
    return unsupported("Send Content-Type: application/json, in UTF-8.")
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return unsupported("Compressed bodies are not accepted.")
  }
  return length !== undefined && Number(length) > limitBytes ? bodyTooLarge(limitBytes) : undefined
}

const readFailure = (error: HttpServerError.HttpServerError): Problem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? bodyTooLarge()
    : problem("invalid_json", { detail: "The body could not be read to its end." })

const notUtf8 = (): Problem => problem("invalid_json", { detail: "The body is not valid UTF-8." })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: ArrayBuffer): Result.Result<string, Problem> =>
  Result.try({
    try: () => utf8.decode(bytes),
    catch: notUtf8
  })

/** Bytes were sent: they are said to be JSON, or refused. */
const typed = (request: HttpServerRequest.HttpServerRequest, text: string): Effect.Effect<string, Problem> =>
  text !== "" && request.headers["content-type"] === undefined
    ? Effect.fail(unsupported("Send Content-Type: application/json."))
    : Effect.succeed(text)

/**
 * The body's text; empty where there is none. It is refused while it streams in as soon as it is larger than 256 KiB,
 * and at once where its headers say so.
 */
export const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, Problem> => {
  const refusal = headerProblem(request, defaultBodyBytes)
  if (refusal !== undefined) return Effect.fail(refusal)
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit),
    Effect.mapError(readFailure),
    Effect.flatMap((bytes) => {
      const text = decode(bytes)
      return Result.isFailure(text) ? Effect.fail(text.failure) : typed(request, text.success)
    })
  )
}

/** A server of the web platform says so where there is no body; its stream would fail. */
const hasNoBody = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  Predicate.hasProperty(source, "body") && source.body === null

/** What the headers say of the body's length; nothing where it comes in chunks. */
const toldBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const length = headers["content-length"]
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
}

const pieces = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, Problem> =>
  Effect.suspend(() => {
    const text = new Utf8Pieces()
    // Room was made for no more than was told.
    const limitBytes = Math.min(toldBytes(request) ?? largeBodyBytes, largeBodyBytes)
    let bytes = 0
    const add = (piece: Uint8Array): Effect.Effect<void, Problem> => {
      bytes += piece.length
      if (bytes > limitBytes) return Effect.fail(bodyTooLarge(largeBodyBytes))
      return Effect.try({ try: () => text.add(piece), catch: notUtf8 })
    }
    return Stream.runForEach(Stream.mapError(request.stream, readFailure), add).pipe(
      Effect.andThen(Effect.try({ try: () => text.end(), catch: notUtf8 }))
    )
  })

/**
 * Like `readText`, for up to 16 MiB. The bytes are decoded as they come and nothing of them is kept, so that a large
 * body is in memory once. One that takes too long to arrive is refused.
 */
export const readLargeText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, Problem> => {
  const refusal = headerProblem(request, largeBodyBytes)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (hasNoBody(request)) return Effect.succeed("")
  return Effect.flatMap(BodyRoomSettings, ({ readWithin }) =>
    pieces(request).pipe(
      Effect.timeoutOrElse({
        duration: readWithin,
        orElse: () => Effect.fail(problem("request_timeout", { headers: { connection: "close" } }))
      }),
      Effect.flatMap((text) => typed(request, text))
    )
  )
}

/**
 * How many bytes of memory to keep free for a request's body: what its headers say, as far as it will be read. None for
 * one that any route takes.
 */
export const largeBodyClaim = (request: HttpServerRequest.HttpServerRequest): number => {
  const bytes = toldBytes(request) ?? largeBodyBytes
  return bytes > defaultBodyBytes && bytes <= largeBodyBytes ? bytes : 0
}
