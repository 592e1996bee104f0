import * as IdempotencyKey from "@surety/core/idempotency/IdempotencyKey"
import { Effect, Predicate, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Fault, inHeader } from "../problem/Fault.js"
import { type Problem, problemOfFaults } from "../problem/Problem.js"
import { type Form, readForm } from "./Form.js"

const header = "Idempotency-Key"

const required: Fault = inHeader(header, "idempotency_key_required", `Send ${header} with a key of your own choosing.`)

const invalid: Fault = inHeader(
  header,
  "idempotency_key_invalid",
  "Expected one key of 1 to 255 printable ASCII characters."
)

/** Matches a value and its repetitions, as a web request joins repeated headers. */
const joinedRepeats = /^(.+?)(?:, \1)+$/u

/**
 * True if the `Idempotency-Key` header was sent more than once. Servers join repeated headers into one string, which is
 * a different key. A proxy that repeats the header on a retry could therefore cause, for example, a second refund.
 * Node's `headersDistinct` shows repeats. On other servers, only repeats of the same value are detected.
 */
const isRepeated = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean => {
  if (!Predicate.hasProperty(source, "headersDistinct")) return joinedRepeats.test(headers["idempotency-key"] ?? "")
  const distinct = source.headersDistinct
  const lines = Predicate.hasProperty(distinct, "idempotency-key") ? distinct["idempotency-key"] : undefined
  return Array.isArray(lines) && lines.length > 1
}

/**
 * Reads the request's idempotency key (contract 6). Fails if the header is missing, malformed or repeated
 * (`isRepeated`).
 */
export const readIdempotencyKey = (
  request: HttpServerRequest.HttpServerRequest
): Result.Result<IdempotencyKey.IdempotencyKey, Fault> => {
  const sent = request.headers["idempotency-key"]
  if (sent === undefined || sent.trim() === "") return Result.fail(required)
  if (isRepeated(request)) return Result.fail(invalid)
  return Result.mapError(IdempotencyKey.parse(sent), () => invalid)
}

export interface Keyed<A> {
  readonly key: IdempotencyKey.IdempotencyKey
  readonly body: A
}

export const replayedHeader = { "idempotent-replayed": "true" } as const

/** Reports faults of the key and the body, unless the body cannot be read or parsed. */
export const readKeyedForm = <A>(
  request: HttpServerRequest.HttpServerRequest,
  form: Form<A>
): Effect.Effect<Keyed<A>, Problem> => {
  const key = readIdempotencyKey(request)
  if (Result.isFailure(key)) {
    const earlierFaults = [key.failure]
    return Effect.andThen(readForm(request, form, { earlierFaults }), Effect.fail(problemOfFaults(earlierFaults)))
  }
  return Effect.map(readForm(request, form), (body) => ({ key: key.success, body }))
}
