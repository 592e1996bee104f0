import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Problem, problemOfFaults } from "../problem/Problem.js"
import { type Form, readForm } from "./Form.js"
import { readIdempotencyKey } from "./IdempotencyHeader.js"

/** A decoded body with its idempotency key. */
export interface Keyed<A> {
  readonly key: IdempotencyKey
  readonly body: A
}

/** The header of a replay. */
export const replayedHeader = { "idempotent-replayed": "true" } as const

/** Reads the idempotency key and the body. Faults of both are reported at once. */
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
