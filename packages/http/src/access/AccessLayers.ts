import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Exchange, type ExchangeShape, problemAnswer } from "../Exchange.js"
import { preconditionProblem } from "../form/Preconditions.js"
import { HttpSettings } from "../HttpSettings.js"
import type { Problem } from "../problem/Problem.js"
import { problem } from "../problem/Problem.js"
import { calledNameProblem } from "./CalledName.js"
import { Limiting } from "./Limiting.js"
import { CurrentPrincipal, keyRequirementOf, MerchantAccess } from "./MerchantAccess.js"
import { MerchantGate } from "./MerchantGate.js"
import { OperatorAccess, ProvisioningAccess } from "./OperatorAccess.js"
import { operatorAttempt, operatorProblem } from "./OperatorToken.js"
import { ReadShare } from "./ReadShare.js"

/** Admits by API key and provides the principal to the handler. Reads are limited to the merchant's share. */
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

/** The settings and limits that guard routes without an API key. */
export interface Guard {
  readonly settings: Pick<HttpSettings["Service"], "operatorToken" | "ownNames" | "provisioning">
  readonly limiting: Limiting["Service"]
}

type Refusal = (
  request: HttpServerRequest.HttpServerRequest,
  exchange: ExchangeShape,
  guard: Guard
) => Effect.Effect<Problem | undefined>

/**
 * Refuses a request without the operator's token. An address with too many wrong tokens is refused even with the right
 * one, since people choose the token and it may be guessable.
 */
const tokenRefusal: Refusal = Effect.fnUntraced(function* (request, exchange, { limiting, settings }) {
  const attempt = operatorAttempt(request)
  const barred = yield* limiting.barred(request, exchange, attempt)
  if (barred !== undefined) return barred
  const refused = operatorProblem(request, settings.operatorToken)
  return refused === undefined ? undefined : ((yield* limiting.address(request, exchange, attempt)) ?? refused)
})

/** The problem of a request that may not use the operator's routes. */
export const operatorRefusal: Refusal = (request, exchange, guard) =>
  guard.settings.operatorToken === undefined
    ? Effect.succeed(problem("route_not_found"))
    : tokenRefusal(request, exchange, guard)

/** The problem of a request that may not use the provisioning routes. Counts requests that pass the token check. */
export const provisioningRefusal: Refusal = Effect.fnUntraced(function* (request, exchange, guard) {
  const { limiting, settings } = guard
  const { operatorToken, ownNames, provisioning } = settings
  if (provisioning === "off") return problem("route_not_found")
  const refused = provisioning === "token" ? yield* tokenRefusal(request, exchange, guard) : undefined
  if (refused !== undefined) return refused
  const limited = yield* limiting.address(request, exchange, "provisioning")
  if (limited !== undefined || provisioning === "token") return limited
  const misnamed = ownNames === undefined ? undefined : calledNameProblem(request, ownNames)
  return misnamed === undefined || operatorProblem(request, operatorToken) === undefined ? undefined : misnamed
})

/** Responses contain secrets and personal data, so they are never cached. */
const admitUnless = (refusal: Refusal) =>
  Effect.gen(function* () {
    const guard: Guard = { settings: yield* HttpSettings, limiting: yield* Limiting }
    const admit: OperatorAccess["Service"] = (handler, { endpoint }) =>
      Effect.gen(function* () {
        const exchange = yield* Exchange
        const request = yield* HttpServerRequest.HttpServerRequest
        exchange.route = endpoint.path
        const refused = (yield* refusal(request, exchange, guard)) ?? preconditionProblem(request)
        if (refused !== undefined) return problemAnswer(exchange, refused)
        return HttpServerResponse.setHeader(yield* handler, "cache-control", "no-store")
      })
    return admit
  })

/** Admits requests with the operator's token. */
export const operatorAccess: Layer.Layer<OperatorAccess, never, HttpSettings | Limiting> = Layer.effect(
  OperatorAccess,
  admitUnless(operatorRefusal)
)

/** Admits requests to provisioning as the deployment decides: open, with the operator's token, or none. */
export const provisioningAccess: Layer.Layer<ProvisioningAccess, never, HttpSettings | Limiting> = Layer.effect(
  ProvisioningAccess,
  admitUnless(provisioningRefusal)
)
