import type { Operator } from "@surety/core/operator/Operator"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { unhandled } from "effect/Types"
import { Exchange, type ExchangeShape, problemAnswer } from "../Exchange.js"
import { HttpSettings } from "../HttpSettings.js"
import type { Problem } from "../problem/Problem.js"
import { problem } from "../problem/Problem.js"
import { calledNameProblem } from "./CalledName.js"
import { Limiting } from "./Limiting.js"
import { CurrentPrincipal, GetOnly, keyRequirementOf, MerchantAccess } from "./MerchantAccess.js"
import { MerchantGate } from "./MerchantGate.js"
import { CurrentOperator, CurrentProvisioner, OperatorAccess, ProvisioningAccess } from "./OperatorAccess.js"
import { mayCall, roleProblem, rolesFor } from "./OperatorRoles.js"
import { hasOperators, isProblem, operatorAttempt, operatorOf } from "./OperatorToken.js"
import { preconditionProblem } from "./Preconditions.js"
import { ReadShare } from "./ReadShare.js"

/**
 * Layer that admits requests by API key and provides the principal to the handler. `GET` requests run within the
 * merchant's `ReadShare`.
 */
export const merchantAccess: Layer.Layer<MerchantAccess, never, MerchantGate | ReadShare> = Layer.effect(
  MerchantAccess,
  Effect.map(Effect.all([MerchantGate, ReadShare]), ([gate, reads]) => (handler, { endpoint }) => {
    const isRead = endpoint.method === "GET"
    const requirement = keyRequirementOf(endpoint)
    return Effect.gen(function* () {
      const exchange = yield* Exchange
      const request = yield* HttpServerRequest.HttpServerRequest
      exchange.route = endpoint.path
      return yield* gate.enter(request, exchange, requirement, (principal) => {
        const answered = Effect.provideService(handler, CurrentPrincipal, principal)
        return isRead
          ? reads.within(principal.merchantId, answered, (refused) => problemAnswer(exchange, refused))
          : answered
      })
    })
  })
)

/** Settings and rate limiting for admitting operator and provisioning requests. */
export interface Guard {
  readonly settings: Pick<HttpSettings["Service"], "operatorToken" | "operators" | "ownNames" | "provisioning">
  readonly limiting: Limiting["Service"]
}

type Request = HttpServerRequest.HttpServerRequest
type Handling<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled, R>

interface Called {
  readonly endpoint: {
    readonly path: string
    readonly identifier: string
    readonly query: unknown
    readonly annotations: Context.Context<never>
  }
  readonly group: { readonly identifier: string }
}

/** Returns the admitted operator (undefined on an open route), or the problem for a refused request. */
type Admission<A> = (request: Request, exchange: ExchangeShape, guard: Guard) => Effect.Effect<A | Problem>

type Refusal = (request: Request, exchange: ExchangeShape, guard: Guard) => Effect.Effect<Problem | undefined>

/**
 * Admits a request by its operator token. Failed attempts count per address and kind of credential. Once the limit is
 * exhausted, even a valid token is refused, which slows down token guessing.
 */
const tokenAdmission: Admission<Operator> = Effect.fnUntraced(function* (request, exchange, { limiting, settings }) {
  const attempt = operatorAttempt(request)
  const barred = yield* limiting.barred(request, exchange, attempt)
  if (barred !== undefined) return barred
  const admitted = yield* operatorOf(request, settings)
  return isProblem(admitted) ? ((yield* limiting.address(request, exchange, attempt)) ?? admitted) : admitted
})

const operatorAdmission: Admission<Operator> = (request, exchange, guard) =>
  hasOperators(guard.settings) ? tokenAdmission(request, exchange, guard) : Effect.succeed(problem("route_not_found"))

/**
 * Admits a provisioning request and counts it in its address's `provisioning` bucket. With `token` access,
 * `tokenAdmission` runs first, and requests that it refuses do not count in that bucket. Open routes need no token.
 * With `ownNames`, an open route refuses a request that `calledNameProblem` rejects, unless it has a valid operator
 * token. With `off`, the routes do not exist.
 */
const provisioningAdmission: Admission<Operator | undefined> = Effect.fnUntraced(function* (request, exchange, guard) {
  const { limiting, settings } = guard
  const { ownNames, provisioning } = settings
  if (provisioning === "off") return problem("route_not_found")
  const admitted = provisioning === "token" ? yield* tokenAdmission(request, exchange, guard) : undefined
  if (isProblem(admitted)) return admitted
  const limited = yield* limiting.address(request, exchange, "provisioning")
  if (limited !== undefined || provisioning === "token") return limited ?? admitted
  const misnamed = ownNames === undefined ? undefined : calledNameProblem(request, ownNames)
  return misnamed === undefined || !isProblem(yield* operatorOf(request, settings)) ? undefined : misnamed
})

const refusalOf =
  (admission: Admission<Operator | undefined>): Refusal =>
  (request, exchange, guard) =>
    Effect.map(admission(request, exchange, guard), (admitted) => (isProblem(admitted) ? admitted : undefined))

/** Returns the problem for a request that `operatorAdmission` refuses. Accepts operators of any role. */
export const operatorRefusal: Refusal = refusalOf(operatorAdmission)

/** Returns the problem for a request that `provisioningAdmission` refuses. Counts the request in the same way. */
export const provisioningRefusal: Refusal = refusalOf(provisioningAdmission)

const forbidden = (operator: Operator | undefined, group: string, endpoint: string): Problem | undefined =>
  operator === undefined || mayCall(operator.role, group, endpoint)
    ? undefined
    : roleProblem(operator, rolesFor(group, endpoint))

/**
 * Builds a middleware that runs a route's handler if `admission`, the operator's role and the preconditions allow it.
 * The handler's response may contain secrets and personal data, so it gets `Cache-Control: no-store`.
 */
const admitWith = <A extends Operator | undefined, P>(
  admission: Admission<A>,
  provide: (handler: Handling<P>, admitted: A) => Handling<never>
) =>
  Effect.gen(function* () {
    const guard: Guard = { settings: yield* HttpSettings, limiting: yield* Limiting }
    return (handler: Handling<P>, { endpoint, group }: Called) =>
      Effect.gen(function* () {
        const exchange = yield* Exchange
        const request = yield* HttpServerRequest.HttpServerRequest
        exchange.route = endpoint.path
        const admitted = yield* admission(request, exchange, guard)
        if (isProblem(admitted)) return problemAnswer(exchange, admitted)
        const refused =
          forbidden(admitted, group.identifier, endpoint.identifier) ??
          preconditionProblem(request, {
            getOnly: Context.get(endpoint.annotations, GetOnly),
            hasQuery: endpoint.query !== undefined
          })
        if (refused !== undefined) return problemAnswer(exchange, refused)
        return HttpServerResponse.setHeader(yield* provide(handler, admitted), "cache-control", "no-store")
      })
  })

export const operatorAccess: Layer.Layer<OperatorAccess, never, HttpSettings | Limiting> = Layer.effect(
  OperatorAccess,
  admitWith(operatorAdmission, (handler, operator) => Effect.provideService(handler, CurrentOperator, operator))
)

export const provisioningAccess: Layer.Layer<ProvisioningAccess, never, HttpSettings | Limiting> = Layer.effect(
  ProvisioningAccess,
  admitWith(provisioningAdmission, (handler, operator) =>
    Effect.provideService(handler, CurrentProvisioner, { operator })
  )
)
