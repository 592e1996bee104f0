import type { Refunds } from "@surety/core/refund/Refunds"
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerIn } from "./Answer.js"
import type { KeyRequirement, MerchantGate } from "./access/MerchantGate.js"
import { whoami } from "./account/whoami.js"
import type { ExchangeShape } from "./Exchange.js"
import { createRefund } from "./refund/createRefund.js"
import { refundRefusals } from "./refund/RefundRefusals.js"

/** Handles a request matched by its exact method and url. */
export type FastPath = (
  request: HttpServerRequest.HttpServerRequest,
  exchange: ExchangeShape
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

const anyKey: KeyRequirement = { anyStatus: true, sandboxOnly: false, limit: "other" }
const refunding: KeyRequirement = { anyStatus: false, sandboxOnly: false, limit: "refunds" }

/**
 * Fast paths for the two routes that carry the load, past the router and the typed API's decoding. They call the same
 * functions as the routes. Keyed by method and exact url.
 */
export const makeFastPaths = (
  basePath: string,
  gate: MerchantGate["Service"],
  refunds: Refunds["Service"]
): ReadonlyMap<string, FastPath> => {
  const create = createRefund(refunds)
  return new Map<string, FastPath>([
    [
      `GET ${basePath}/v1/whoami`,
      (request, exchange) => {
        exchange.route = "/v1/whoami"
        return gate.enter(request, exchange, anyKey, (principal) => Effect.succeed(whoami(principal, exchange)))
      }
    ],
    [
      `POST ${basePath}/v1/refunds`,
      (request, exchange) => {
        exchange.route = "/v1/refunds"
        return gate.enter(request, exchange, refunding, (principal) =>
          answerIn(exchange, refundRefusals.create, create(request, exchange, principal))
        )
      }
    ]
  ])
}
