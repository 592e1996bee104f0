import { ApiKeys, type Principal } from "@surety/core/merchant/ApiKeys"
import { mayUse } from "@surety/core/merchant/Merchant"
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusalAnswer } from "../Answer.js"
import { type ExchangeShape, problemAnswer } from "../Exchange.js"
import { merchantRouteNotFound, type Problem, problem } from "../problem/Problem.js"
import { refusedBy } from "../problem/Refusal.js"
import { bearerCredential, challenge } from "./Bearer.js"
import { isScopeHeld, type RouteScope } from "./KeyScopes.js"
import { Limiting } from "./Limiting.js"
import type { KeyRequirement } from "./MerchantAccess.js"
import { preconditionProblem } from "./Preconditions.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/**
 * Admits merchants' requests. `enter` refuses in the contract's order: key (401), status (403), rate limit (429). Then
 * it checks the key's environment, its scopes and the request's preconditions.
 */
export class MerchantGate extends Context.Service<
  MerchantGate,
  {
    /**
     * Authenticates a request that matches no route. A request with a valid key counts against the limit `other`. Fails
     * with the refusal for a missing or invalid key, an exceeded limit or a storage failure.
     */
    readonly authenticate: (request: Request, exchange: ExchangeShape) => Effect.Effect<Principal, Problem>

    /** Runs `next` if the request is admitted to the route, otherwise responds with the problem. */
    readonly enter: <E, R>(
      request: Request,
      exchange: ExchangeShape,
      requirement: KeyRequirement,
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

const isActive = ({ environment, status }: Principal, { anyStatus }: KeyRequirement): boolean =>
  anyStatus || mayUse(status, environment)

const scopeProblem = (required: RouteScope): Problem =>
  problem("scope_missing", { extension: required === "unlisted" ? {} : { requiredScope: required } })

const refusal = (
  { environment, scopes }: Principal,
  request: Request,
  requirement: KeyRequirement
): Problem | undefined => {
  const { sandboxOnly, scope } = requirement
  if (sandboxOnly && environment !== "TEST") return merchantRouteNotFound
  return isScopeHeld(scopes, scope) ? preconditionProblem(request, requirement) : scopeProblem(scope)
}

export const layer: Layer.Layer<MerchantGate, never, ApiKeys | Limiting> = Layer.effect(
  MerchantGate,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const limiting = yield* Limiting

    /** Only requests with a missing or invalid key count against an address. */
    const unauthenticated = (request: Request, exchange: ExchangeShape, refused: Problem): Effect.Effect<Problem> =>
      Effect.map(limiting.address(request, exchange, "api-key"), (limited) => limited ?? refused)

    const answerUnauthenticated = (request: Request, exchange: ExchangeShape, refused: Problem) =>
      Effect.map(unauthenticated(request, exchange, refused), (it) => problemAnswer(exchange, it))

    const authenticate: MerchantGate["Service"]["authenticate"] = (request, exchange) => {
      const fail = (refused: Problem) => Effect.flatMap(unauthenticated(request, exchange, refused), Effect.fail)
      const secret = bearerCredential(request)
      if (secret === undefined) return fail(missingKey())
      return Effect.matchEffect(keys.authenticate(secret), {
        onFailure: (error) =>
          error._tag === "InvalidApiKey" ? fail(invalidKey()) : Effect.fail(refusedBy({}, error).problem),
        onSuccess: (principal) => {
          exchange.principal = principal
          return Effect.flatMap(limiting.merchant("other", principal, exchange), (limited) =>
            limited === undefined ? Effect.succeed(principal) : Effect.fail(limited)
          )
        }
      })
    }

    // Nested callbacks are cheaper than a chain of effects, and this runs on every call of a merchant's route.
    const enter: MerchantGate["Service"]["enter"] = (request, exchange, requirement, next) => {
      const secret = bearerCredential(request)
      if (secret === undefined) return answerUnauthenticated(request, exchange, missingKey())
      return Effect.matchEffect(keys.authenticate(secret), {
        onFailure: (error) =>
          error._tag === "InvalidApiKey"
            ? answerUnauthenticated(request, exchange, invalidKey())
            : refusalAnswer(exchange, {}, error),
        onSuccess: (principal) => {
          exchange.principal = principal
          if (!isActive(principal, requirement)) {
            return Effect.succeed(problemAnswer(exchange, statusProblem(principal)))
          }
          return Effect.flatMap(limiting.merchant(requirement.limit, principal, exchange), (limited) => {
            const refused = limited ?? refusal(principal, request, requirement)
            return refused === undefined ? next(principal) : Effect.succeed(problemAnswer(exchange, refused))
          })
        }
      })
    }

    return MerchantGate.of({ authenticate, enter })
  })
)
