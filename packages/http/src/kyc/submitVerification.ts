import type { VerificationFailed, Verifications } from "@surety/core/kyc/verification/Verifications"
import type { Principal } from "@surety/core/merchant/ApiKeys"
import { Effect, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type ExchangeShape, jsonAnswer } from "../Exchange.js"
import type { BodyRoom } from "../form/BodyRoom.js"
import { readForm } from "../form/Form.js"
import { readIdempotencyKey, replayedHeader } from "../form/KeyedForm.js"
import { largeBodyClaim } from "../form/RequestBody.js"
import { type Problem, problem, problemOfFaults } from "../problem/Problem.js"
import { verificationForm } from "./VerificationForm.js"

/**
 * Refusal of a large body that gets no room in memory in time. The body stays unread, so the connection cannot be
 * reused.
 */
const crowded = problem("service_unavailable", {
  detail: "Too many large bodies are in flight. Retry the same request after Retry-After seconds.",
  headers: { "retry-after": "5", connection: "close" }
})

type Answering = Effect.Effect<HttpServerResponse.HttpServerResponse, VerificationFailed | Problem>

/**
 * Handles `POST /v1/kyc/verifications`. Core stores the response's body, so a replay repeats it byte for byte. A large
 * body keeps its room until the response, because its selfie stays in memory at least until then.
 */
export const submitVerification =
  (verifications: Verifications["Service"], room: BodyRoom["Service"]) =>
  (request: HttpServerRequest.HttpServerRequest, exchange: ExchangeShape, principal: Principal): Answering => {
    const key = readIdempotencyKey(request)
    const earlierFaults = Result.isFailure(key) ? [key.failure] : []
    const answering: Answering = Effect.flatMap(
      readForm(request, verificationForm, { earlierFaults, large: true, numbers: "unquoted" }),
      (asked): Answering =>
        Result.isFailure(key)
          ? Effect.fail(problemOfFaults(earlierFaults))
          : Effect.map(
              verifications.submit(principal, key.success, { ...asked, apiKeyId: principal.apiKeyId }),
              ({ replayed, response }) => jsonAnswer(exchange, response, 201, replayed ? replayedHeader : undefined)
            )
    )
    const bytes = largeBodyClaim(request)
    return bytes === 0 ? answering : room.within({ holder: principal.merchantId, bytes }, answering, crowded)
  }
