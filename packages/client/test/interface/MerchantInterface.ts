import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import type { OpenAPI3, OperationObject, SchemaObject } from "openapi-typescript"

/** An operation available to a merchant's key. */
export interface MerchantOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** True if the operation requires an `Idempotency-Key`. */
  readonly keyed: boolean
  /** Possible error codes by status. */
  readonly codes: ReadonlyMap<number, ReadonlyArray<string>>
  readonly operation: OperationObject
}

/**
 * Merges the members of `allOf` into the schema that contains it, unless one of them is a reference. Without the merge,
 * `openapi-typescript` would generate types such as `string & unknown`.
 */
const joined = (_key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("allOf" in value) || !Array.isArray(value.allOf)) return value
  const { allOf, ...rest } = value
  return allOf.some((member) => "$ref" in member) ? value : Object.assign({}, rest, ...allOf)
}

const document = JSON.parse(JSON.stringify(openApiDocument("http://127.0.0.1:3000")), joined)

const codesIn = (operation: OperationObject): ReadonlyMap<number, ReadonlyArray<string>> =>
  new Map(
    Object.entries(operation.responses ?? {})
      .filter(([status]) => Number(status) >= 400)
      .map(([status, answer]) => [
        Number(status),
        [...String(answer.description).matchAll(/`([a-z_]+)`/gu)].map(([, code = ""]) => code)
      ])
  )

export const merchantOperations: ReadonlyArray<MerchantOperation> = Object.entries(
  document.paths as Record<string, Record<string, OperationObject & { readonly operationId: string }>>
)
  .filter(([path]) => path.startsWith("/v1/"))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      keyed: JSON.stringify(operation.parameters ?? []).includes('"Idempotency-Key"'),
      codes: codesIn(operation),
      operation
    }))
  )

const referencedIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/gu)].map(([, name = ""]) => name)

/** Returns the names of all schemas that a value refers to, directly or indirectly. */
const reachedFrom = (value: unknown, seen: Set<string> = new Set()): ReadonlySet<string> => {
  for (const name of referencedIn(value)) {
    if (seen.has(name)) continue
    seen.add(name)
    reachedFrom(document.components.schemas[name], seen)
  }
  return seen
}

const parametersIn = ({ operation }: MerchantOperation, place: "query" | "path"): SchemaObject | undefined => {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    "in" in parameter && parameter.in === place ? [parameter] : []
  )
  if (parameters.length === 0) return undefined
  return {
    type: "object",
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema ?? { type: "string" }]))
  }
}

const contentOf = (message: object | undefined): SchemaObject | undefined => {
  const content = message === undefined || !("content" in message) ? {} : message.content
  const [media] = Object.values(content as Record<string, { readonly schema: SchemaObject }>)
  return media?.schema
}

/** Builds an object schema of an operation's inputs and output. Omits members that the operation lacks. */
const callersView = (it: MerchantOperation): SchemaObject => {
  const success = Object.entries(it.operation.responses ?? {}).find(([status]) => Number(status) < 400)?.[1]
  const parts = Object.entries({
    query: parametersIn(it, "query"),
    path: parametersIn(it, "path"),
    body: contentOf(it.operation.requestBody),
    answer: contentOf(success)
  }).flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema] as const]))
  return { type: "object", required: parts.map(([name]) => name), properties: Object.fromEntries(parts) }
}

const payloadsByTopic = (): SchemaObject => {
  const webhooks: Readonly<Record<string, { readonly post: OperationObject }>> = document.webhooks
  const payloads = Object.entries(webhooks).flatMap(([topic, { post }]) => {
    const schema = contentOf(post.requestBody)
    return schema === undefined ? [] : [[topic, schema] as const]
  })
  return { type: "object", required: Object.keys(webhooks), properties: Object.fromEntries(payloads) }
}

/**
 * Builds an OpenAPI document with only the schemas reachable from a merchant operation, an event payload or the problem
 * schema. Adds `EventPayloads` by topic, and `Operations`, which lists each operation's inputs and output.
 */
export const merchantDocument = (): OpenAPI3 => {
  const views = Object.fromEntries(merchantOperations.map((it) => [it.id, callersView(it)]))
  const schemas: Record<string, SchemaObject> = document.components.schemas
  const EventPayloads = payloadsByTopic()
  const wanted = reachedFrom([views, EventPayloads, { $ref: "#/components/schemas/Problem" }])
  const Operations: SchemaObject = { type: "object", required: Object.keys(views), properties: views }
  const reached = Object.entries(schemas).filter(([name]) => wanted.has(name))
  return {
    openapi: document.openapi,
    info: document.info,
    paths: {},
    components: { schemas: { ...Object.fromEntries(reached), EventPayloads, Operations } }
  }
}
