import { ApiKeys, type Principal } from "@surety/core/merchant/ApiKeys"
import { mayUse } from "@surety/core/merchant/Merchant"
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusalAnswer } from "../Answer.js"
import { type ExchangeShape, problemAnswer } from "../Exchange.js"
import { preconditionProblem } from "../form/Preconditions.js"
import { type Problem, problem } from "../problem/Problem.js"
import { problemOf } from "../problem/Problems.js"
import { bearerCredential, challenge } from "./Bearer.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What a route asks of a key. */
export interface Admission {
  /** Whether it answers whatever the merchant's status is, so that a merchant can see why it is refused elsewhere. */
  readonly anyStatus: boolean
  /** Whether it exists for TEST keys alone. */
  readonly sandboxOnly: boolean
}

/** Lets merchants in, in the contract's order of refusals: key (401), status (403), then what every route refuses. */
export class MerchantGate extends Context.Service<
  MerchantGate,
  {
    /** Whose key the request bears. */
    readonly authenticate: (request: Request, exchange: ExchangeShape) => Effect.Effect<Principal, Problem>

    /** Answers the request by `next` when it bears a key that may use the route now, else by what refuses it. */
    readonly enter: <E, R>(
      request: Request,
      exchange: ExchangeShape,
      admission: Admission,
      next: (principal: Principal) => Effect.Effect<Response, E, R>
    ) => Effect.Effect<Response, E, R>
  }
>()("@surety/http/access/MerchantGate") {}

const invalidKey = (): Problem => problem("invalid_api_key", { headers: challenge })

const missingKey = (): Problem => problem("missing_api_key", { headers: challenge })

const statusProblem = ({ environment, status }: Principal): Problem =>
  problem("merchant_not_active", {
    detail: `The merchant is ${status}, which does not allow ${environment} keys.`,
    extension: { merchantStatus: status }
  })

const refusal = (
  principal: Principal,
  request: Request,
  { anyStatus, sandboxOnly }: Admission
): Problem | undefined => {
  if (!anyStatus && !mayUse(principal.status, principal.environment)) return statusProblem(principal)
  if (sandboxOnly && principal.environment !== "TEST") return problem("route_not_found")
  return preconditionProblem(request)
}

export const layer: Layer.Layer<MerchantGate, never, ApiKeys> = Layer.effect(
  MerchantGate,
  Effect.map(ApiKeys, (keys) => {
    const authenticate: MerchantGate["Service"]["authenticate"] = (request, exchange) => {
      const secret = bearerCredential(request)
      if (secret === undefined) return Effect.fail(missingKey())
      return Effect.matchEffect(keys.authenticate(secret), {
        onFailure: (error) => Effect.fail(error._tag === "InvalidApiKey" ? invalidKey() : problemOf(error)),
        onSuccess: (principal) => {
          exchange.merchantId = principal.merchantId
          return Effect.succeed(principal)
        }
      })
    }

    // One continuation for all that follows: this is on every merchant's request.
    const enter: MerchantGate["Service"]["enter"] = (request, exchange, admission, next) => {
      const secret = bearerCredential(request)
      if (secret === undefined) return Effect.succeed(problemAnswer(exchange, missingKey()))
      return Effect.matchEffect(keys.authenticate(secret), {
        onFailure: (error) => refusalAnswer(exchange, error._tag === "InvalidApiKey" ? invalidKey() : error),
        onSuccess: (principal) => {
          exchange.merchantId = principal.merchantId
          const refused = refusal(principal, request, admission)
          return refused === undefined ? next(principal) : Effect.succeed(problemAnswer(exchange, refused))
        }
      })
    }

    return MerchantGate.of({ authenticate, enter })
  })
)
