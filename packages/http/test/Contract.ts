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

/** The published document as a plain JSON value. */
export const document = JSON.parse(JSON.stringify(openApiDocument("https://pay.example/service")))

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default.default(ajv)
ajv.addSchema(document, "openapi")

/** Schemas refer to components of the document; a validator sees them through the document's own address. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))

const validators = new WeakMap<object, ValidateFunction>()

/** Schemas are compiled once: some tests have thousands of answers. */
const validatorOf = (schema: object): ValidateFunction => {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = ajv.compile(absolute(schema))
  validators.set(schema, made)
  return made
}

/** The faults of a value by a schema of the document; `[]` if it has none. */
export const schemaFaults = (schema: object, value: unknown): ReadonlyArray<string> => {
  const validate = validatorOf(schema)
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

/** Every operation of the document, with the form of its paths. */
export const operations: ReadonlyArray<{
  readonly method: string
  readonly path: string
  readonly operation: Operation
}> = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
)

const problemSchema = document.components.schemas.Problem

const operationAt = (method: string, url: string) => {
  const [path = ""] = url.split("?")
  return operations.find(
    (candidate) =>
      candidate.method === method && new RegExp(`^${candidate.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)
  )?.operation
}

/** Fails unless the document describes the response, or it is a problem if there is no such operation. */
export const expectDocumented = (method: string, url: string, answer: Answer): void => {
  const at = `${method} ${url} ${answer.status} ${answer.text.slice(0, 400)}`
  expect(answer.headers.get("x-request-id"), at).toBeTruthy()
  expect(answer.headers.get("x-content-type-options"), at).toBe("nosniff")
  if (answer.status === 429) expect(answer.headers.get("retry-after"), at).toMatch(/^[1-9]\d*$/u)
  const operation = operationAt(method, url)
  if (answer.status >= 400) {
    expect(answer.headers.get("content-type"), at).toBe("application/problem+json")
    expect(schemaFaults(problemSchema, answer.body), at).toEqual([])
  }
  if (operation === undefined) return
  const response = operation.responses[String(answer.status)]
  expect(response, `${at} is not in the document`).toBeDefined()
  expect(answer.headers.has("location"), at).toBe(response?.headers?.Location !== undefined)
  const [[type, media] = ["", undefined]] = Object.entries(response?.content ?? {})
  const content = type === "text/html" ? answer.text : answer.body
  if (media?.schema !== undefined) expect(schemaFaults(media.schema, content), at).toEqual([])
  const codes = JSON.stringify(response)
  if (answer.status >= 400)
    expect(codes, `${at} has a code that the document does not tell`).toContain(`\`${answer.body.code}\``)
}
