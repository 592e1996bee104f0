import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Api } from "../Api.js"
import { locations } from "../Locations.js"
import { problemCodes } from "../problem/ProblemCode.js"
import { problemContentType } from "../problem/ProblemDetails.js"
import { documentPaths } from "../RouteTable.js"
import { RouteDocumentation } from "./Documented.js"
import { examples } from "./examples.js"
import { components, headerParameters, limitSchema, responseHeaders } from "./OpenApiComponents.js"
import { codesOf, mayBeOpen, securityOf, statusOf } from "./OperationProblems.js"
import { parameterDescriptions } from "./parameterDescriptions.js"
import { payloadSchemas, webhookOperations } from "./webhookOperations.js"

type Json = Record<string, unknown>

interface MediaType {
  schema: Json
  examples?: Json
}

interface Answer {
  description: string
  headers?: Json
  content?: Record<string, MediaType>
}

interface Operation {
  operationId: string
  parameters: Array<Json & { name: string; in: string; description?: string; schema?: Json & { description?: string } }>
  security: Array<Json>
  responses: Record<string, Answer>
  requestBody?: { required: boolean; content: Record<string, MediaType> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Json } & Json
}

const problemReference = { $ref: "#/components/schemas/Problem" }

const problemResponses = (endpoint: HttpApiEndpoint.Top): Record<string, Answer> => {
  const byStatus = new Map<number, Array<string>>()
  for (const code of codesOf(endpoint)) {
    const status = statusOf(code, endpoint, problemCodes[code].status)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(", "),
        headers: responseHeaders(status, codes),
        content: { [problemContentType]: { schema: problemReference } }
      }
    ])
  )
}

const succeeded = (status: string): boolean => Number(status) < 400

const withExample = (media: MediaType, value: unknown): MediaType =>
  value === undefined ? media : { ...media, examples: { example: { value } } }

const isKeyed = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === "idempotency-key")

const completeSuccess = (
  operation: Operation,
  { method, path }: HttpApiEndpoint.Top,
  [status, answer]: [string, Answer]
): [string, Answer] => {
  const example = examples[operation.operationId]?.response
  const content = Object.entries(answer.content ?? {}).map(([type, media]): [string, MediaType] => [
    type,
    withExample(media, example)
  ])
  const kinds = [
    ...(isKeyed(operation) ? ["idempotent"] : []),
    ...(status === "201" && locations[`${method} ${path}`] !== undefined ? ["located"] : [])
  ]
  return [
    status,
    {
      ...answer,
      headers: responseHeaders(Number(status), kinds),
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) })
    }
  ]
}

const describe = ({ description, name, schema }: Operation["parameters"][number]): Json => {
  const own = description ?? schema?.description ?? parameterDescriptions[name]
  return own === undefined ? {} : { description: own }
}

const completeParameters = (operation: Operation): Operation["parameters"] => [
  ...operation.parameters
    .filter((parameter) => parameter.in !== "header")
    .map((parameter) => ({
      ...parameter,
      ...describe(parameter),
      ...(parameter.name === "limit" ? { schema: limitSchema } : {})
    })),
  ...headerParameters(isKeyed(operation))
]

const completeBody = (operation: Operation, endpoint: HttpApiEndpoint.Top): Operation["requestBody"] => {
  const { requestBody } = operation
  if (requestBody === undefined) return undefined
  const example = examples[operation.operationId]?.request
  const { bodyOptional } = Context.get(endpoint.annotations, RouteDocumentation)
  const content = Object.entries(requestBody.content).map(([type, media]): [string, MediaType] => [
    type,
    withExample(media, example)
  ])
  return { required: !bodyOptional, content: Object.fromEntries(content) }
}

const complete = (operation: Operation, endpoint: HttpApiEndpoint.Top): Operation => {
  const requestBody = completeBody(operation, endpoint)
  return {
    ...operation,
    parameters: completeParameters(operation),
    security: [...(mayBeOpen(endpoint) ? [{}] : []), ...securityOf(endpoint).map((name) => ({ [name]: [] }))],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => succeeded(status))
          .map((entry) => completeSuccess(operation, endpoint, entry))
      ),
      ...problemResponses(endpoint)
    }
  }
}

/** Sorts the schemas by name and drops the copies of the problem schema, such as `Problem_1`. */
const withoutCopies = (schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => !/^Problem_\d+$/.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )

const completeDocument = (document: Document): Document & { readonly webhooks: Json } => {
  const paths: Document["paths"] = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replace(/:([A-Za-z]+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      const operation = document.paths[path]?.[method]
      if (operation !== undefined) paths[path] = { ...paths[path], [method]: complete(operation, endpoint) }
    }
  })
  const schemas = withoutCopies({ ...document.components.schemas, ...payloadSchemas })
  return {
    paths,
    webhooks: webhookOperations,
    components: { ...document.components, ...components, schemas }
  }
}

export const documentedApi = (publicUrl: string) =>
  Api.annotateMerge(
    OpenApi.annotations({
      servers: [{ url: publicUrl }],
      transform: ({ components, info, paths, ...rest }) => ({
        ...rest,
        info: { ...info, contact: { name: "Guides", url: `${publicUrl}${documentPaths.page}` } },
        ...completeDocument({ paths, components })
      })
    })
  )

export const openApiDocument = (publicUrl: string): OpenApi.OpenAPISpec => OpenApi.fromApi(documentedApi(publicUrl))
