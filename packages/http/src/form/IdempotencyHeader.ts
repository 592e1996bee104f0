import * as IdempotencyKey from "@surety/core/idempotency/IdempotencyKey"
import { Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Fault, inHeader } from "../problem/Fault.js"

const name = "Idempotency-Key"

const required: Fault = inHeader(name, "idempotency_key_required", `Send ${name} with a key of your own choosing.`)

const invalid: Fault = inHeader(
  name,
  "idempotency_key_invalid",
  "Expected one key of 1 to 255 printable ASCII characters."
)

/** The request's idempotency key (contract 6): the header is required, and sent once. */
export const readIdempotencyKey = (
  request: HttpServerRequest.HttpServerRequest
): Result.Result<IdempotencyKey.IdempotencyKey, Fault> => {
  const header = request.headers["idempotency-key"]
  if (header === undefined || header.trim() === "") return Result.fail(required)
  return Result.mapError(IdempotencyKey.parse(header), () => invalid)
}
