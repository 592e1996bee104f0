import * as IdempotencyKey from "@surety/core/idempotency/IdempotencyKey"
import { Predicate, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Fault, inHeader } from "../problem/Fault.js"

const name = "Idempotency-Key"

const required: Fault = inHeader(name, "idempotency_key_required", `Send ${name} with a key of your own choosing.`)

const invalid: Fault = inHeader(
  name,
  "idempotency_key_invalid",
  "Expected one key of 1 to 255 printable ASCII characters."
)

/**
 * Whether the header was sent more than once. Node joins repeated headers into one string, which would be another key:
 * a proxy that repeats the header on a retry would cause a second refund. Only Node's `headersDistinct` shows repeats;
 * under other servers they go unnoticed.
 */
const isRepeated = ({ source }: HttpServerRequest.HttpServerRequest): boolean => {
  if (!Predicate.hasProperty(source, "headersDistinct")) return false
  const distinct = source.headersDistinct
  const lines = Predicate.hasProperty(distinct, "idempotency-key") ? distinct["idempotency-key"] : undefined
  return Array.isArray(lines) && lines.length > 1
}

/** The request's idempotency key (contract 6). The header is required exactly once. */
export const readIdempotencyKey = (
  request: HttpServerRequest.HttpServerRequest
): Result.Result<IdempotencyKey.IdempotencyKey, Fault> => {
  const header = request.headers["idempotency-key"]
  if (header === undefined || header.trim() === "") return Result.fail(required)
  if (isRepeated(request)) return Result.fail(invalid)
  return Result.mapError(IdempotencyKey.parse(header), () => invalid)
}
