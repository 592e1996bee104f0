import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { Schema } from "effect"

/** The subset of JSON Schema that the command line needs. */
const FieldSchema = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  enum: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  anyOf: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.optionalKey(Schema.String) }))),
  description: Schema.optionalKey(Schema.String),
  allOf: Schema.optionalKey(Schema.Array(Schema.Struct({ description: Schema.optionalKey(Schema.String) }))),
  items: Schema.optionalKey(
    Schema.Struct({
      enum: Schema.optionalKey(Schema.Array(Schema.String)),
      format: Schema.optionalKey(Schema.String)
    })
  ),
  examples: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
export type FieldSchema = typeof FieldSchema.Type

const BodySchema = Schema.Struct({
  properties: Schema.optionalKey(Schema.Record(Schema.String, FieldSchema)),
  required: Schema.optionalKey(Schema.Array(Schema.String))
})

const OperationObject = Schema.Struct({
  operationId: Schema.String,
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      in: Schema.String,
      required: Schema.optionalKey(Schema.Boolean),
      description: Schema.optionalKey(Schema.String),
      schema: FieldSchema
    })
  ),
  requestBody: Schema.optionalKey(
    Schema.Struct({
      content: Schema.Record(Schema.String, Schema.Struct({ schema: Schema.Struct({ $ref: Schema.String }) }))
    })
  ),
  responses: Schema.Record(
    Schema.String,
    Schema.Struct({ content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
  )
})

const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, OperationObject)),
  components: Schema.Struct({ schemas: Schema.Record(Schema.String, Schema.Unknown) })
})

export interface Field {
  readonly name: string
  readonly place: "path" | "query" | "body" | "header"
  readonly required: boolean
  readonly schema: FieldSchema
}

/** One operation of the API, as read from its OpenAPI document. */
export interface Operation {
  /** Group of the operation, such as `operator`, `merchants` or `webhooks`. */
  readonly group: string
  readonly name: string
  readonly method: string
  /** The path with its parameters in braces: `/merchants/{merchantId}`. */
  readonly path: string
  readonly summary: string
  readonly hasBody: boolean
  /** Media type of a successful response. Undefined if the response has no body. */
  readonly mediaType: string | undefined
  readonly fields: ReadonlyArray<Field>
}

const bodySchema = (document: typeof Document.Type, operation: typeof OperationObject.Type) => {
  const reference = operation.requestBody?.content["application/json"]?.schema.$ref
  if (reference === undefined) return undefined
  return Schema.decodeUnknownSync(BodySchema)(document.components.schemas[reference.split("/").at(-1) ?? ""])
}

const keyField = "idempotencyKey"

const keyHeader = "Idempotency-Key"

const mediaTypeOf = ({ responses }: typeof OperationObject.Type): string | undefined =>
  Object.entries(responses).flatMap(([status, { content = {} }]) => (status < "3" ? Object.keys(content) : []))[0]

const places = { path: "path", query: "query" } as const

type Parameter = (typeof OperationObject.Type)["parameters"][number]

/** Returns the schema of a parameter, with the parameter's own description if it has one. */
const schemaOf = ({ description, schema }: Parameter): FieldSchema =>
  description === undefined ? schema : { ...schema, description }

const toOperation = (
  document: typeof Document.Type,
  path: string,
  method: string,
  object: typeof OperationObject.Type
): Operation => {
  const [group = "", name = ""] = object.operationId.split(".")
  const body = bodySchema(document, object)
  const parameters = object.parameters.flatMap((parameter) => {
    const { in: kind, name: field, required = false } = parameter
    const schema = schemaOf(parameter)
    return kind === "path" || kind === "query" ? [{ name: field, place: places[kind], required, schema }] : []
  })
  const takesKey = object.parameters.some(({ in: kind, name: header }) => kind === "header" && header === keyHeader)
  const own = Object.entries(body?.properties ?? {}).map(
    ([field, schema]): Field => ({
      name: field,
      place: "body",
      required: body?.required?.includes(field) === true || (field === keyField && takesKey),
      schema
    })
  )
  // Some operations take the key as a field of the body too. The command then has that field alone, and requires it.
  const keys = object.parameters.flatMap((parameter) => {
    const { in: kind, name: header, required = false } = parameter
    return kind === "header" && header === keyHeader && own.every((field) => field.name !== keyField)
      ? [{ name: keyField, place: "header" as const, required, schema: schemaOf(parameter) }]
      : []
  })
  return {
    group,
    name,
    method: method.toUpperCase(),
    path,
    summary: [object.summary, object.description].filter((text) => text !== undefined).join(". "),
    hasBody: body !== undefined,
    mediaType: mediaTypeOf(object),
    fields: [...parameters, ...own, ...keys]
  }
}

export const operations = (): ReadonlyArray<Operation> => {
  const document = Schema.decodeUnknownSync(Document)(openApiDocument(""))
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => toOperation(document, path, method, object))
  )
}
