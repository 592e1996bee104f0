/** The subset of an OpenAPI 3.1 schema that this module reads. */
interface SchemaNode {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly anyOf?: ReadonlyArray<SchemaNode>
  readonly oneOf?: ReadonlyArray<SchemaNode>
  readonly allOf?: ReadonlyArray<SchemaNode>
  readonly maxLength?: number
}

interface MediaNode {
  readonly schema: SchemaNode
  readonly examples?: { readonly example?: { readonly value: unknown } }
}

interface OperationNode {
  readonly responses?: Readonly<Record<string, unknown>>
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaNode>> }
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationNode>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> }
}

/** A path in a body: field names, and 0 for a list item. */
export type FieldPath = ReadonlyArray<string | 0>

/** A field or list item of a body. `maxLength` is undefined unless the field's own schema node sets it. */
export interface BodyField {
  readonly path: FieldPath
  readonly maxLength: number | undefined
}

export interface OperationInputs {
  readonly operationId: string
  readonly method: string
  /** Path template, with `{name}` for each path parameter. */
  readonly path: string
  readonly pathParameters: ReadonlyArray<string>
  readonly queryParameters: ReadonlyArray<string>
  readonly headers: ReadonlyArray<string>
  /** Undefined if the operation takes no JSON body. */
  readonly body: { readonly example: unknown; readonly fields: ReadonlyArray<BodyField> } | undefined
}

const deepest = 8

const nodesOf = (document: OpenApiDocument, { $ref, allOf = [], anyOf = [], oneOf = [], ...node }: SchemaNode) => {
  const named = $ref === undefined ? undefined : document.components.schemas[$ref.split("/").at(-1) ?? ""]
  if ($ref !== undefined && named === undefined) throw new Error(`The document lacks ${$ref}`)
  return [node, ...allOf, ...anyOf, ...oneOf, ...(named === undefined ? [] : [named])]
}

const fieldsOf = (document: OpenApiDocument, schema: SchemaNode, path: FieldPath = []): ReadonlyArray<BodyField> => {
  if (path.length > deepest) return []
  const [node, ...others] = nodesOf(document, schema)
  return [
    ...Object.entries(node?.properties ?? {}).flatMap(([name, property]) => [
      { path: [...path, name], maxLength: property.maxLength },
      ...fieldsOf(document, property, [...path, name])
    ]),
    ...(node?.items === undefined
      ? []
      : [
          { path: [...path, 0 as const], maxLength: node.items.maxLength },
          ...fieldsOf(document, node.items, [...path, 0])
        ]),
    ...others.flatMap((other) => fieldsOf(document, other, path))
  ]
}

const namesIn = ({ parameters = [] }: OperationNode, place: string): ReadonlyArray<string> =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)

const bodyOf = (document: OpenApiDocument, { requestBody }: OperationNode): OperationInputs["body"] => {
  const media = requestBody?.content["application/json"]
  if (media === undefined) return undefined
  const fields = new Map(fieldsOf(document, media.schema).map((field) => [field.path.join("/"), field]))
  return { example: media.examples?.example?.value ?? {}, fields: [...fields.values()] }
}

export const inputsOf = (document: OpenApiDocument): ReadonlyArray<OperationInputs> =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path,
      pathParameters: namesIn(operation, "path"),
      queryParameters: namesIn(operation, "query"),
      headers: namesIn(operation, "header"),
      body: bodyOf(document, operation)
    }))
  )
