import { readFileSync } from "node:fs"

/** The parts of JSON Schema that are read from docs/openapi.json. Other keywords, such as `pattern`, are ignored. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string | boolean>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: JsonSchema
}

interface Message {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

interface OperationObject {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Message
  readonly responses: Readonly<Record<string, Message>>
}

interface Document {
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** A type that every language can express. An amount is a JSON number in major units. */
export type Type =
  | { readonly kind: "string"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "amount" | "integer" | "boolean" | "any" }
  | { readonly kind: "list" | "map"; readonly of: Type }
  | { readonly kind: "record"; readonly name: string }

export interface Field {
  /** Name on the wire. */
  readonly name: string
  readonly type: Type
  readonly required: boolean
  readonly docs: string
}

/** An object on the wire: in a response, in a delivery, or nested in a request. */
export interface RecordType {
  readonly name: string
  readonly docs: string
  readonly fields: ReadonlyArray<Field>
}

/** The result of an operation: one record, the records of a list with cursors, or all records in one response. */
export interface Answer {
  readonly kind: "record" | "pages" | "records"
  readonly name: string
}

export interface Operation {
  /** Group and method, such as `refunds.create`. */
  readonly id: string
  readonly group: string
  readonly method: string
  readonly verb: string
  readonly path: string
  readonly keyed: boolean
  readonly docs: string
  readonly pathFields: ReadonlyArray<Field>
  readonly query: ReadonlyArray<Field>
  readonly body: ReadonlyArray<Field>
  readonly answer: Answer
}

export interface ProblemCode {
  readonly code: string
  readonly status: number
  readonly docs: string
}

export interface Topic {
  readonly topic: string
  /** Name of the payload's record type. */
  readonly payload: string
  /** A key that occurs, or has this value, only in this topic's payload. */
  readonly mark: { readonly key: string; readonly value?: string }
}

export interface MerchantInterface {
  readonly operations: ReadonlyArray<Operation>
  /** Records in responses and deliveries. */
  readonly records: ReadonlyArray<RecordType>
  /** Records nested in requests. */
  readonly inputs: ReadonlyArray<RecordType>
  readonly codes: ReadonlyArray<ProblemCode>
  readonly topics: ReadonlyArray<Topic>
  /** Names of the amount fields in request bodies, including fields of nested records. */
  readonly amountFields: ReadonlyArray<string>
  /** Names of the fields of request bodies that hold an amount, themselves or in nested records. */
  readonly moneyFields: ReadonlyArray<string>
  /** Names of the other optional fields without which a request does or shows the most. */
  readonly boundFields: ReadonlyArray<string>
}

/**
 * Optional fields that limit what a request does: the fields to read or approve, the endpoint of a resend, and how long
 * a consent lasts. Without one, the request does the most.
 */
const bounds: ReadonlyArray<string> = ["duration", "endpoint_id", "fields"]

/** Returns true if a field must be left out to be omitted, so that a value that was lost does not widen the request. */
export const isBound = (all: Pick<MerchantInterface, "inputs">, { name, type }: Field): boolean =>
  bounds.includes(name) || holdsAmount(all, type)

/** Returns true if a request's value holds an amount, itself or in nested records. */
export const holdsAmount = ({ inputs }: Pick<MerchantInterface, "inputs">, type: Type): boolean => {
  switch (type.kind) {
    case "amount":
      return true
    case "list":
    case "map":
      return holdsAmount({ inputs }, type.of)
    case "record":
      return (
        inputs.find(({ name }) => name === type.name)?.fields.some((field) => holdsAmount({ inputs }, field.type)) ??
        false
      )
    default:
      return false
  }
}

const read = (file: string): string => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8")

/** Reviver for `JSON.parse` that merges a schema's `allOf` into the schema itself. */
const joined = (_key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("allOf" in value) || !Array.isArray(value.allOf)) return value
  const { allOf, ...rest } = value
  return Object.assign({}, rest, ...allOf)
}

const document: Document = JSON.parse(read("openapi.json"), joined)

/** Marks by topic, read from the TypeScript verifier. A mark proves the topic of a signed payload. */
const eventMarks: ReadonlyMap<string, Topic["mark"]> = new Map(
  [
    ...read("../packages/verifier/src/Payloads.generated.ts").matchAll(
      /^ {2}"([a-z_.]+)": \(payload\) => "(\w+)" in payload(?: && payload\.\w+ === "(\w+)")?,?$/gmu
    )
  ].map(([, topic = "", key = "", value]) => [topic, value === undefined ? { key } : { key, value }])
)

export const pascal = (name: string): string =>
  name.replace(/(?:^|[_.-])([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())

export const snake = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** Makes functions that turn schemas into types. `found` collects the records found in the schemas, by name. */
const collect = () => {
  const found = new Map<string, RecordType>()

  const recordOf = (name: string, schema: JsonSchema): Type => {
    if (!found.has(name)) {
      found.set(name, { name, docs: schema.description ?? "", fields: [] })
      found.set(name, { name, docs: schema.description ?? "", fields: fieldsOf(name, schema) })
    }
    return { kind: "record", name }
  }

  const typeOf = (schema: JsonSchema, owner: string, property: string): Type => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split("/").at(-1) ?? ""
      return recordOf(name, document.components.schemas[name] ?? {})
    }
    if (schema.type === "string") {
      return { kind: "string", values: (schema.enum ?? []).filter((value) => typeof value === "string") }
    }
    if (schema.type === "number") return { kind: "amount" }
    if (schema.type === "integer") return { kind: "integer" }
    if (schema.type === "boolean") return { kind: "boolean" }
    if (schema.type === "array") {
      return { kind: "list", of: typeOf(schema.items ?? {}, owner, property.replace(/s$/u, "")) }
    }
    if (schema.properties !== undefined) return recordOf(owner.replace(/Request$/u, "") + pascal(property), schema)
    if (typeof schema.additionalProperties === "object") {
      return { kind: "map", of: typeOf(schema.additionalProperties, owner, property) }
    }
    return schema.type === "object" ? { kind: "map", of: { kind: "any" } } : { kind: "any" }
  }

  const fieldsOf = (owner: string, schema: JsonSchema): ReadonlyArray<Field> =>
    Object.entries(schema.properties ?? {})
      .map(([name, property]) => ({
        name,
        type: typeOf(property, owner, name),
        required: schema.required?.includes(name) ?? false,
        docs: property.description ?? ""
      }))
      // A stable sort that puts required fields first, since parameters with default values must come last.
      .toSorted((one, other) => Number(other.required) - Number(one.required))

  return { found, recordOf, typeOf, fieldsOf }
}

/** Returns the type of a list in a query. On the wire it is one comma-separated value, but callers pass a list. */
const listOf = (of: Type): Type => ({ kind: "list", of })

const contentOf = (message: Message | undefined): JsonSchema | undefined =>
  Object.values(message?.content ?? {})[0]?.schema

const resolved = (schema: JsonSchema | undefined): readonly [name: string, schema: JsonSchema] => {
  const name = schema?.$ref?.split("/").at(-1) ?? ""
  return [name, name === "" ? (schema ?? {}) : (document.components.schemas[name] ?? {})]
}

/** Codes that the server or the router can return before an operation runs. Operations need not list them. */
const ofNoOperation = ["malformed_request", "method_not_allowed", "request_timeout", "headers_too_large"]

const problemTable = (): ReadonlyMap<string, { readonly status: number; readonly docs: string }> =>
  new Map(
    [...read("errors.md").matchAll(/^\| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \|$/gmu)].map(
      ([, code = "", status = "", title = "", advice = ""]) => [
        code,
        { status: Number(status), docs: `${title}. ${advice}` }
      ]
    )
  )

const merchantPaths = Object.entries(document.paths).filter(([path]) => path.startsWith("/v1/"))

const codesOf = (operations: ReadonlyArray<OperationObject>): ReadonlyArray<ProblemCode> => {
  const said = operations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { description = "" }]) => [...description.matchAll(/`([a-z_]+)`/gu)].map(([, code = ""]) => code))
  )
  const table = problemTable()
  return [...new Set([...said, ...ofNoOperation])].toSorted().map((code) => {
    const row = table.get(code)
    if (row === undefined) throw new Error(`docs/errors.md has no code ${code}`)
    return { code, ...row }
  })
}

/** Reads the merchant API, mainly from docs/openapi.json. */
export const merchantInterface = (): MerchantInterface => {
  const records = collect()
  const inputs = collect()
  const amountFields = new Set<string>()
  const noteAmounts = (fields: ReadonlyArray<Field>): void => {
    for (const { name, type } of fields) if (type.kind === "amount") amountFields.add(name)
  }

  const answerOf = (id: string, responses: OperationObject["responses"]): Answer => {
    const success = Object.entries(responses).find(([status]) => Number(status) < 400)?.[1]
    const schema = contentOf(success)
    const [name, body] = resolved(schema)
    const { data, nextCursor } = body.properties ?? {}
    if (name === "" && data?.items !== undefined) {
      const of = records.typeOf(data.items, pascal(id), "item")
      if (of.kind !== "record") throw new Error(`${id} lists something that is not a record`)
      return { kind: nextCursor === undefined ? "records" : "pages", name: of.name }
    }
    const type = records.typeOf(schema ?? {}, pascal(id), "answer")
    if (type.kind !== "record") throw new Error(`${id} returns something that is not a record`)
    return { kind: "record", name: type.name }
  }

  const operations = merchantPaths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): Operation => {
      const { operationId: id, parameters = [], requestBody, responses } = operation
      const [group = "", method = ""] = id.split(".")
      const parametersIn = (place: string): ReadonlyArray<Field> =>
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ description = "", name, required = false, schema = {} }) => {
            const docs = schema.description ?? description
            const type = inputs.typeOf(schema, pascal(id), name)
            return { name, type: docs.startsWith("Comma-separated") ? listOf(type) : type, required, docs }
          })
          .toSorted((one, other) => Number(other.required) - Number(one.required))
      const [name, body] = resolved(contentOf(requestBody))
      const fields = inputs.fieldsOf(name === "" ? pascal(id) : name, body)
      noteAmounts(fields)
      return {
        id,
        group,
        method,
        verb: verb.toUpperCase(),
        path,
        keyed: parameters.some((parameter) => parameter.name === "Idempotency-Key"),
        docs: [operation.summary?.replace(/(?<![.?])$/u, "."), operation.description].filter(Boolean).join(" "),
        pathFields: parametersIn("path"),
        query: parametersIn("query"),
        body: fields,
        answer: answerOf(id, responses)
      }
    })
  )

  records.recordOf("Problem", document.components.schemas.Problem ?? {})
  const topicNames = document.components.schemas.Event?.properties?.topic?.enum ?? []
  const topics = topicNames.map((topic): Topic => {
    const name = String(topic)
    const [payload, schema] = resolved(contentOf(document.webhooks[name]?.post.requestBody))
    const mark = eventMarks.get(name)
    if (payload === "" || mark === undefined) throw new Error(`Nothing is known of the payload of ${name}`)
    records.recordOf(payload, schema)
    return { topic: name, payload, mark }
  })
  for (const { fields } of inputs.found.values()) noteAmounts(fields)

  const byName = (one: RecordType, other: RecordType): number => (one.name < other.name ? -1 : 1)
  const nested = { inputs: [...inputs.found.values()].toSorted(byName) }
  const money = operations.flatMap(({ body }) => body.filter(({ type }) => holdsAmount(nested, type)))
  return {
    operations,
    records: [...records.found.values()].toSorted(byName),
    ...nested,
    codes: codesOf(merchantPaths.flatMap(([, methods]) => Object.values(methods))),
    topics,
    amountFields: [...amountFields].toSorted(),
    moneyFields: [...new Set(money.map(({ name }) => name))].toSorted(),
    boundFields: bounds
  }
}

/** Returns the operations of each group, in document order. */
export const groupsOf = ({ operations }: MerchantInterface): ReadonlyMap<string, ReadonlyArray<Operation>> =>
  Map.groupBy(operations, ({ group }) => group)
