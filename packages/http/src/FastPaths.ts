import type { Principal } from "@surety/core/merchant/ApiKeys"
import type { Refunds } from "@surety/core/refund/Refunds"
import { Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { answerIn } from "./Answer.js"
import { Api } from "./Api.js"
import { FastPath, keyRequirementOf } from "./access/MerchantAccess.js"
import type { MerchantGate } from "./access/MerchantGate.js"
import { whoami } from "./account/whoami.js"
import type { ExchangeShape } from "./Exchange.js"
import { createRefund } from "./refund/createRefund.js"
import { refundRefusals } from "./refund/RefundRefusals.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Handler for one method and one exact url. */
export type Answering = (request: Request, exchange: ExchangeShape) => Effect.Effect<Response>

type Handler = (request: Request, exchange: ExchangeShape, principal: Principal) => Effect.Effect<Response>

/**
 * Builds the fast paths of routes annotated with `FastPath`, by method and exact url. They bypass the router and the
 * typed decoding. They enforce the routes' key requirements and call the same functions as the routes' handlers.
 */
export const makeFastPaths = (
  basePath: string,
  gate: MerchantGate["Service"],
  refunds: Refunds["Service"]
): ReadonlyMap<string, Answering> => {
  const create = createRefund(refunds)
  const handlers: Readonly<Record<string, Handler>> = {
    "GET /v1/whoami": (_, exchange, principal) => Effect.succeed(whoami(principal, exchange)),
    "POST /v1/refunds": (request, exchange, principal) =>
      answerIn(exchange, refundRefusals.create, create(request, exchange, principal))
  }
  const paths = new Map<string, Answering>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (!Context.get(endpoint.annotations, FastPath)) return
      const handler = handlers[`${endpoint.method} ${endpoint.path}`]
      if (handler === undefined) throw new Error(`Add a handler for the fast path of ${endpoint.path}`)
      const requirement = keyRequirementOf(endpoint)
      paths.set(`${endpoint.method} ${basePath}${endpoint.path}`, (request, exchange) => {
        exchange.route = endpoint.path
        return gate.enter(request, exchange, requirement, (principal) => handler(request, exchange, principal))
      })
    }
  })
  return paths
}
