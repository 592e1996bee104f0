import { ByteSize, Effect, Predicate, Result, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"
import { BodyRoomSettings } from "./BodyRoom.js"
import { BoundedBody } from "./BoundedBody.js"
import { freeBytes, PieceOwner } from "./PieceOwner.js"

/** Body limit of most routes (contract 13). */
export const defaultBodyBytes = 256 * 1024

/** Body limit of the verification route, where a selfie may have 12,000,000 characters (contract 13). */
export const largeBodyBytes = 16 * 1024 * 1024

const bodyLimit = ByteSize.fromInputUnsafe(defaultBodyBytes)

const unsupported = (detail: string): Problem => problem("unsupported_media_type", { detail })

/**
 * Builds the problem for a body over the limit. The connection closes after the response, because the rest of the body
 * may still arrive.
 */
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

const readFailure =
  (limitBytes: number) =>
  ({ reason }: HttpServerError.HttpServerError): Problem =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
      ? bodyTooLarge(limitBytes)
      : problem("invalid_json", { detail: "The body could not be read completely." })

/** Rejects a non-empty body without a `Content-Type`. `headerProblem` has rejected all types but JSON. */
const typed = (
  request: HttpServerRequest.HttpServerRequest,
  bounded: BoundedBody
): Result.Result<BoundedBody, Problem> =>
  bounded.bytes.length > 0 && request.headers["content-type"] === undefined
    ? Result.fail(unsupported("Send Content-Type: application/json."))
    : Result.succeed(bounded)

/** True for a web `Request` whose `body` is null. Reading the stream of such a request would fail. */
const hasNoBody = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  Predicate.hasProperty(source, "body") && source.body === null

const declaredBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const length = headers["content-length"]
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
}

/** Adds the header that closes the connection after the response, because more of the body may still arrive. */
const ending = ({ code, options }: Problem): Problem =>
  problem(code, { ...options, headers: { ...options.headers, connection: "close" } })

/**
 * Reads a body in pieces. Fails if the body is longer than declared or than `limitBytes`. Scans the bytes as they
 * arrive, and stops at a fault.
 */
const readPieces = (
  request: HttpServerRequest.HttpServerRequest,
  limitBytes: number
): Effect.Effect<BoundedBody, Problem> =>
  Effect.flatMap(PieceOwner, (owner) => {
    const declared = declaredBytes(request)
    // A body longer than declared is refused, because a large body has room only for its declared length.
    const mostBytes = Math.min(declared ?? limitBytes, limitBytes)
    const reader = BoundedBody.reader(mostBytes)
    let bytes = 0
    const add = (piece: Uint8Array): Effect.Effect<void, Problem> => {
      bytes += piece.length
      if (bytes > mostBytes) return Effect.fail(bodyTooLarge(limitBytes))
      const added = reader.add(piece)
      if (owner === "server") freeBytes(piece)
      if (Result.isSuccess(added)) return Effect.void
      return Effect.fail(bytes === declared ? added.failure : ending(added.failure))
    }
    return Stream.runForEach(Stream.mapError(request.stream, readFailure(limitBytes)), add).pipe(
      Effect.flatMap(() => Effect.fromResult(Result.flatMap(reader.end(), (bounded) => typed(request, bounded))))
    )
  })

const empty = BoundedBody.of(new Uint8Array(0))

/** Maximum declared length for reading a body in one piece, which is faster. Most bodies are no larger. */
const smallBodyBytes = 16 * 1024

const readWhole = (
  request: HttpServerRequest.HttpServerRequest,
  limitBytes: number
): Effect.Effect<BoundedBody, Problem> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit),
    Effect.mapError(readFailure(limitBytes)),
    Effect.flatMap((bytes) =>
      Effect.fromResult(Result.flatMap(BoundedBody.of(new Uint8Array(bytes)), (bounded) => typed(request, bounded)))
    )
  )

const readBounded = (
  request: HttpServerRequest.HttpServerRequest,
  limitBytes: number
): Effect.Effect<BoundedBody, Problem> => {
  const refusal = headerProblem(request, limitBytes)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (hasNoBody(request)) return Effect.fromResult(empty)
  const declared = declaredBytes(request)
  return declared !== undefined && declared <= smallBodyBytes
    ? readWhole(request, limitBytes)
    : readPieces(request, limitBytes)
}

/**
 * Reads a body of up to 256 KiB and checks its type, encoding and bounds. A missing body is empty. A larger body is
 * refused as it streams in, or immediately if its headers declare its length.
 */
export const readBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<BoundedBody, Problem> =>
  readBounded(request, defaultBodyBytes)

/** Like `readBody`, for up to 16 MiB. Fails with `request_timeout` if the body does not arrive within `readWithin`. */
export const readLargeBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<BoundedBody, Problem> =>
  Effect.flatMap(BodyRoomSettings, ({ readWithin }) =>
    Effect.timeoutOrElse(readBounded(request, largeBodyBytes), {
      duration: readWithin,
      orElse: () => Effect.fail(problem("request_timeout", { headers: { connection: "close" } }))
    })
  )

/**
 * Returns the bytes to reserve for a request's body: the declared length, or the maximum if none is declared. Returns 0
 * if the declared length is at most 256 KiB, because such a body needs no room. Also returns 0 above the maximum,
 * because the body is refused.
 */
export const largeBodyClaim = (request: HttpServerRequest.HttpServerRequest): number => {
  const bytes = declaredBytes(request) ?? largeBodyBytes
  return bytes > defaultBodyBytes && bytes <= largeBodyBytes ? bytes : 0
}
