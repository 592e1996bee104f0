import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Exchange, problemAnswer } from "../Exchange.js"
import { preconditionProblem } from "../form/Preconditions.js"
import { HttpSettings } from "../HttpSettings.js"
import type { Problem } from "../problem/Problem.js"
import { problem } from "../problem/Problem.js"
import { AnswersAnyStatus, CurrentPrincipal, MerchantAccess, SandboxOnly } from "./MerchantAccess.js"
import { MerchantGate } from "./MerchantGate.js"
import { OperatorAccess, ProvisioningAccess } from "./OperatorAccess.js"
import { operatorProblem } from "./OperatorToken.js"

/** Admits by API key, and tells the handler who is asking. */
export const merchantAccess: Layer.Layer<MerchantAccess, never, MerchantGate> = Layer.effect(
  MerchantAccess,
  Effect.map(MerchantGate, (gate) => (handler, { endpoint }) => {
    const admission = {
      anyStatus: Context.get(endpoint.annotations, AnswersAnyStatus),
      sandboxOnly: Context.get(endpoint.annotations, SandboxOnly)
    }
    return Effect.gen(function* () {
      const exchange = yield* Exchange
      const request = yield* HttpServerRequest.HttpServerRequest
      exchange.route = endpoint.path
      return yield* gate.enter(request, exchange, admission, (principal) =>
        Effect.provideService(handler, CurrentPrincipal, principal)
      )
    })
  })
)

type Settings = HttpSettings["Service"]

/** Why the request may not use the operator's routes. */
export const operatorRefusal = (
  request: HttpServerRequest.HttpServerRequest,
  { operatorToken }: Settings
): Problem | undefined =>
  operatorToken === undefined ? problem("route_not_found") : operatorProblem(request, operatorToken)

/** Why the request may not use the provisioning routes. */
export const provisioningRefusal = (
  request: HttpServerRequest.HttpServerRequest,
  { operatorToken, provisioning }: Settings
): Problem | undefined => {
  switch (provisioning) {
    case "open":
      return undefined
    case "off":
      return problem("route_not_found")
    case "token":
      return operatorProblem(request, operatorToken)
  }
}

type Refusal = typeof operatorRefusal

/** Their answers have secrets and personal data, which nothing on the way may keep. */
const admitUnless = (refusal: Refusal) =>
  Effect.map(
    HttpSettings,
    (settings): OperatorAccess["Service"] =>
      (handler, { endpoint }) =>
        Effect.gen(function* () {
          const exchange = yield* Exchange
          const request = yield* HttpServerRequest.HttpServerRequest
          exchange.route = endpoint.path
          const refused = refusal(request, settings) ?? preconditionProblem(request)
          if (refused !== undefined) return problemAnswer(exchange, refused)
          return HttpServerResponse.setHeader(yield* handler, "cache-control", "no-store")
        })
  )

/** Admits the bearer of the operator's token. */
export const operatorAccess: Layer.Layer<OperatorAccess, never, HttpSettings> = Layer.effect(
  OperatorAccess,
  admitUnless(operatorRefusal)
)

/** Admits whom the deployment lets provision. */
export const provisioningAccess: Layer.Layer<ProvisioningAccess, never, HttpSettings> = Layer.effect(
  ProvisioningAccess,
  admitUnless(provisioningRefusal)
)
