import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { operatorRefusal, provisioningRefusal } from "./access/AccessLayers.js"
import type { Limiting } from "./access/Limiting.js"
import type { MerchantGate } from "./access/MerchantGate.js"
import type { ExchangeShape } from "./Exchange.js"
import type { HttpSettings } from "./HttpSettings.js"
import { merchantRouteNotFound, type Problem, problem } from "./problem/Problem.js"
import { belowBase, methodsAt } from "./RouteTable.js"

const isIn = (area: string, path: string): boolean => path === area || path.startsWith(`${area}/`)

interface Surroundings {
  readonly gate: MerchantGate["Service"]
  readonly limiting: Limiting["Service"]
  readonly settings: HttpSettings["Service"]
  /** Slugs of the served guides. */
  readonly guides: ReadonlySet<string>
}

/**
 * Authenticates the caller by the rules of the routes at this path. `sandbox` is true if TEST-only routes exist for the
 * caller. Fails if the caller may not learn which routes exist.
 */
const admit = (
  path: string,
  request: HttpServerRequest.HttpServerRequest,
  exchange: ExchangeShape,
  { gate, limiting, settings }: Surroundings
): Effect.Effect<{ readonly sandbox: boolean }, Problem> => {
  if (isIn("/v1", path)) {
    return Effect.map(gate.authenticate(request, exchange), ({ environment }) => ({ sandbox: environment === "TEST" }))
  }
  const refusal = isIn("/operator", path)
    ? operatorRefusal(request, exchange, { limiting, settings })
    : isIn("/merchants", path)
      ? provisioningRefusal(request, exchange, { limiting, settings })
      : Effect.succeed(undefined)
  return Effect.flatMap(refusal, (refused) =>
    refused === undefined ? Effect.succeed({ sandbox: true }) : Effect.fail(refused)
  )
}

/**
 * Returns the problem for a request that matches no route. A caller that `admit` refuses gets only that refusal, such
 * as `invalid_api_key`. Any other caller gets `method_not_allowed` if the path supports only other methods, otherwise
 * `route_not_found`.
 */
export const noRouteProblem = (
  request: HttpServerRequest.HttpServerRequest,
  exchange: ExchangeShape,
  surroundings: Surroundings
): Effect.Effect<Problem> => {
  const { basePath, docs } = surroundings.settings
  const { path } = exchange
  const below = belowBase(path, basePath) ?? ""
  return Effect.match(admit(below, request, exchange, surroundings), {
    onFailure: (refused) => refused,
    onSuccess: ({ sandbox }) => {
      const methods = methodsAt({ path, basePath, docs, guides: surroundings.guides, sandbox })
      return methods.length === 0 || methods.includes(request.method)
        ? isIn("/v1", below)
          ? merchantRouteNotFound
          : problem("route_not_found")
        : problem("method_not_allowed", { headers: { allow: [...new Set(methods)].join(", ") } })
    }
  })
}
