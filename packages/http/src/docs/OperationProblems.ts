import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { AnswersAnyStatus, MerchantAccess, SandboxOnly } from "../access/MerchantAccess.js"
import { OperatorAccess, ProvisioningAccess } from "../access/OperatorAccess.js"
import type { ProblemCode } from "../problem/ProblemCode.js"
import { RouteDocumentation } from "./Documented.js"

type Endpoint = HttpApiEndpoint.Top

const uses = (endpoint: Endpoint, access: { readonly key: string }): boolean =>
  [...endpoint.middlewares].some(({ key }) => key === access.key)

/** Who may call an operation, as OpenAPI's security schemes are named. */
export const securityOf = (endpoint: Endpoint): ReadonlyArray<"apiKey" | "operatorToken"> => [
  ...(uses(endpoint, MerchantAccess) ? (["apiKey"] as const) : []),
  ...(uses(endpoint, OperatorAccess) || uses(endpoint, ProvisioningAccess) ? (["operatorToken"] as const) : [])
]

/** Whether an operation is open where the deployment says so. */
export const mayBeOpen = (endpoint: Endpoint): boolean => uses(endpoint, ProvisioningAccess)

const accessCodes = (endpoint: Endpoint): ReadonlyArray<ProblemCode> => {
  const [security] = securityOf(endpoint)
  if (security === "operatorToken") {
    const tokenCodes: ReadonlyArray<ProblemCode> = [
      "missing_operator_token",
      "invalid_operator_token",
      "route_not_found"
    ]
    return mayBeOpen(endpoint) ? [...tokenCodes, "host_not_allowed"] : tokenCodes
  }
  const keyCodes: ReadonlyArray<ProblemCode> = ["missing_api_key", "invalid_api_key"]
  return [
    ...keyCodes,
    ...(Context.get(endpoint.annotations, AnswersAnyStatus) ? [] : (["merchant_not_active"] as const)),
    ...(Context.get(endpoint.annotations, SandboxOnly) ? (["route_not_found"] as const) : [])
  ]
}

const bodyCodes: ReadonlyArray<ProblemCode> = [
  "invalid_json",
  "json_too_deep",
  "validation_failed",
  "unknown_field",
  "body_too_large",
  "unsupported_media_type"
]

const queryCodes: ReadonlyArray<ProblemCode> = ["validation_failed", "unknown_parameter"]

const everywhere: ReadonlyArray<ProblemCode> = [
  "invalid_characters",
  "not_acceptable",
  "uri_too_long",
  "rate_limited",
  "internal_error",
  "service_unavailable"
]

/** Every code that an operation may be refused with, its own and those of its kind. */
export const codesOf = (endpoint: Endpoint): ReadonlyArray<ProblemCode> => [
  ...new Set([
    ...accessCodes(endpoint),
    ...(endpoint.payload.size > 0 ? bodyCodes : []),
    ...(endpoint.query === undefined ? [] : queryCodes),
    ...(endpoint.params === undefined ? [] : (["route_not_found"] as const)),
    ...Context.get(endpoint.annotations, RouteDocumentation).codes,
    ...everywhere
  ])
]

/** A code that stands for more than one status has that of the operation: a key that cannot be made is a conflict. */
export const statusOf = (code: ProblemCode, endpoint: Endpoint, status: number): number =>
  code === "merchant_not_active" && securityOf(endpoint)[0] === "operatorToken" ? 409 : status
