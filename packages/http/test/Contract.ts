import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as formats from "ajv-formats"
import { expect } from "vitest"
import type { Answer } from "./Interface.js"

interface Response {
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly examples?: { readonly example?: { readonly value: unknown } } }>
  >
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
  readonly requestBody?: Response
}

export const document = JSON.parse(JSON.stringify(openApiDocument("https://pay.example/service")))

// Without `inlineRefs`, each component is compiled once, not again in every schema that refers to it.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false })
formats.default.default(ajv)
ajv.addSchema(document, "openapi")

/** Makes a schema's references to components absolute, so that a validator resolves them in the document. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))

const validators = new WeakMap<object, ValidateFunction>()

/** Returns a schema's validator. Each schema is compiled once, because some tests check thousands of responses. */
const validatorOf = (schema: object): ValidateFunction => {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = ajv.compile(absolute(schema))
  validators.set(schema, made)
  return made
}

export const schemaFaults = (schema: object, value: unknown): ReadonlyArray<string> => {
  const validate = validatorOf(schema)
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

export const operations: ReadonlyArray<{
  readonly method: string
  readonly path: string
  readonly operation: Operation
}> = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
)

const problemSchema = document.components.schemas.Problem

const forms = operations.map((candidate) => ({
  ...candidate,
  form: new RegExp(`^${candidate.path.replace(/\{\w+\}/g, "[^/]+")}$`)
}))

const operationAt = (method: string, url: string) => {
  const [path = ""] = url.split("?")
  return forms.find((candidate) => candidate.method === method && candidate.form.test(path))?.operation
}

const codes = new WeakMap<Response, string>()

/** Returns a documented response as cached JSON text, to be searched for problem codes. */
const codesIn = (response: Response): string => {
  const text = codes.get(response) ?? JSON.stringify(response)
  codes.set(response, text)
  return text
}

/**
 * Yields each deviation of a response from the document. Some test files check tens of thousands of responses, so one
 * `expect` per check would be slow.
 */
const undocumented = function* (operation: Operation | undefined, answer: Answer, hasBody: boolean): Generator<string> {
  const { body, headers, status, text } = answer
  if (!headers.get("x-request-id")) yield "has no x-request-id"
  if (headers.get("x-content-type-options") !== "nosniff") yield "may be sniffed"
  if (status === 429 && !/^[1-9]\d*$/u.test(headers.get("retry-after") ?? "")) yield "has no retry-after"
  if (status >= 400) {
    if (headers.get("content-type") !== "application/problem+json") yield `is ${headers.get("content-type")}`
    if (hasBody) yield* schemaFaults(problemSchema, body)
  }
  if (operation === undefined) return
  const response = operation.responses[String(status)]
  if (response === undefined) {
    yield "is not in the document"
    return
  }
  if (headers.has("location") !== (response.headers?.Location !== undefined)) yield "differs in its location"
  const [[type, media] = ["", undefined]] = Object.entries(response.content ?? {})
  if (media?.schema !== undefined) yield* schemaFaults(media.schema, type === "text/html" ? text : body)
  if (status >= 400 && !codesIn(response).includes(`\`${body.code}\``))
    yield "has a code that the document does not tell"
}

/**
 * Fails if the response deviates from the document. For an undocumented operation, checks only the common headers and
 * that an error is a problem.
 */
export const expectDocumented = (method: string, url: string, answer: Answer): void => {
  const faults = [...undocumented(operationAt(method, url), answer, method !== "HEAD")]
  if (faults.length > 0) expect(faults, `${method} ${url} ${answer.status} ${answer.text.slice(0, 400)}`).toEqual([])
}
