import { Context, type Schema, type SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { routeScope } from "../access/KeyScopes.js"
import { AnswersAnyStatus, MerchantAccess, SandboxOnly } from "../access/MerchantAccess.js"
import { OperatorAccess, ProvisioningAccess } from "../access/OperatorAccess.js"
import { isProblemCode, type ProblemCode, problemCodes } from "../problem/ProblemCode.js"
import { codesOfRefusals } from "../problem/Refusal.js"
import { RouteDocumentation } from "./Documented.js"

type Endpoint = HttpApiEndpoint.Top

const uses = (endpoint: Endpoint, access: { readonly key: string }): boolean =>
  [...endpoint.middlewares].some(({ key }) => key === access.key)

export const securityOf = (endpoint: Endpoint): ReadonlyArray<"apiKey" | "operatorToken"> => [
  ...(uses(endpoint, MerchantAccess) ? (["apiKey"] as const) : []),
  ...(uses(endpoint, OperatorAccess) || uses(endpoint, ProvisioningAccess) ? (["operatorToken"] as const) : [])
]

/** Returns true if the deployment can open the operation to everyone. */
export const mayBeOpen = (endpoint: Endpoint): boolean => uses(endpoint, ProvisioningAccess)

const accessCodes = (endpoint: Endpoint): ReadonlyArray<ProblemCode> => {
  const [security] = securityOf(endpoint)
  if (security === "operatorToken") {
    const tokenCodes: ReadonlyArray<ProblemCode> = [
      "missing_operator_token",
      "invalid_operator_token",
      "operator_forbidden",
      "route_not_found"
    ]
    return mayBeOpen(endpoint) ? [...tokenCodes, "host_not_allowed"] : tokenCodes
  }
  const keyCodes: ReadonlyArray<ProblemCode> = ["missing_api_key", "invalid_api_key"]
  return [
    ...keyCodes,
    ...(Context.get(endpoint.annotations, AnswersAnyStatus) ? [] : (["merchant_not_active"] as const)),
    ...(routeScope(endpoint.method, endpoint.path) === "none" ? [] : (["scope_missing"] as const)),
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

const addAnnotated = (annotations: object | undefined, codes: Set<string>): void => {
  const annotated = annotations !== undefined && "codes" in annotations ? annotations.codes : undefined
  if (Array.isArray(annotated)) for (const code of annotated) codes.add(code)
}

const addCodes = (ast: SchemaAST.AST, codes: Set<string>, seen: Set<SchemaAST.AST>): void => {
  if (seen.has(ast)) return
  seen.add(ast)
  addAnnotated(ast.annotations, codes)
  // On a schema with checks, `annotate` attaches the annotations to the last check. More checks may have been added
  // since, so every check is read.
  for (const check of ast.checks ?? []) addAnnotated(check.annotations, codes)
  for (const { to } of ast.encoding ?? []) addCodes(to, codes, seen)
  switch (ast._tag) {
    case "Objects":
      for (const { type } of ast.propertySignatures) addCodes(type, codes, seen)
      return
    case "Arrays":
      for (const item of [...ast.elements, ...ast.rest]) addCodes(item, codes, seen)
      return
    case "Union":
      for (const type of ast.types) addCodes(type, codes, seen)
      return
    default:
      return
  }
}

/** Returns the problem codes in the annotation `codes` of the schemas and their fields. */
const codesOfSchemas = (schemas: ReadonlyArray<Schema.Top>): ReadonlyArray<ProblemCode> => {
  const codes = new Set<string>()
  for (const { ast } of schemas) addCodes(ast, codes, new Set())
  return [...codes].filter(isProblemCode)
}

const inputsOf = ({ headers, payload, query }: Endpoint): ReadonlyArray<Schema.Top> => [
  ...[headers, query].filter((schema) => schema !== undefined),
  ...[...payload.values()].flatMap(({ schemas }) => schemas)
]

const order = new Map(Object.keys(problemCodes).map((code, index) => [code, index]))

const positionOf = (code: ProblemCode): number => order.get(code) ?? 0

/**
 * Returns the codes of the operation's input fields and of its service's errors, in the order of the problem table.
 * Omits the codes in `everywhere`.
 */
const ownCodes = (endpoint: Endpoint): ReadonlyArray<ProblemCode> => {
  const { refusals } = Context.get(endpoint.annotations, RouteDocumentation)
  return [...codesOfSchemas(inputsOf(endpoint)), ...codesOfRefusals(refusals)]
    .filter((code) => !everywhere.includes(code))
    .sort((a, b) => positionOf(a) - positionOf(b))
}

/**
 * Returns every documented code of an operation: `ownCodes`, the codes in `everywhere`, and the codes of access, body,
 * query and path.
 */
export const codesOf = (endpoint: Endpoint): ReadonlyArray<ProblemCode> => [
  ...new Set([
    ...accessCodes(endpoint),
    ...(endpoint.payload.size > 0 ? bodyCodes : []),
    ...queryCodes,
    ...(endpoint.params === undefined ? [] : (["route_not_found"] as const)),
    ...ownCodes(endpoint),
    ...everywhere
  ])
]

/**
 * Returns the status of a code for an operation, normally `status`. `merchant_not_active` is 409 on routes that take an
 * operator's token. `consumer_not_found` is 404 on routes with the consumer in the path.
 */
export const statusOf = (code: ProblemCode, endpoint: Endpoint, status: number): number => {
  const isOperators = securityOf(endpoint)[0] === "operatorToken"
  if (code === "merchant_not_active" && isOperators) return 409
  return code === "consumer_not_found" && endpoint.path.includes(":serviceId") ? 404 : status
}
