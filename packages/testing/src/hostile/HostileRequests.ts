import * as Hostile from "./hostileValues.js"
import type { BodyField, FieldPath, OperationInputs } from "./OpenApiInputs.js"

export interface HostileRequest {
  /** Describes the hostile part of the request. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * Path values and headers of a valid request to an operation. Each hostile request corrupts that request in one place.
 */
export interface GoodRequest {
  readonly pathValues: Readonly<Record<string, string>>
  /** Headers that every request needs, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

const json = { "content-type": "application/json" }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns `value` with the value at `path` replaced. Creates missing parents. Truncates lists on the path to one item.
 */
const withValueAt = (value: unknown, [step, ...rest]: FieldPath, replacement: string): unknown => {
  if (step === undefined) return replacement
  if (step === 0) return [withValueAt(Array.isArray(value) ? value[0] : undefined, rest, replacement)]
  const record = isRecord(value) ? value : {}
  return { ...record, [step]: withValueAt(record[step], rest, replacement) }
}

const mark = "\u0001hostile\u0001"

/** Returns the example as JSON, with the raw JSON `text` as the value at `path`. */
const bodyWith = (example: unknown, path: FieldPath, text: string): string =>
  JSON.stringify(withValueAt(example, path, mark)).replace(JSON.stringify(mark), () => text)

/** Returns the example as JSON, with the field at `path` duplicated. */
const bodyWithTwice = (example: unknown, path: FieldPath): string => {
  const name = JSON.stringify(path.at(-1))
  return bodyWith(example, path, `1,${name}:2`)
}

const valuesFor = ({ maxLength }: BodyField): ReadonlyArray<Hostile.HostileValue> =>
  maxLength === undefined || maxLength > 100_000
    ? Hostile.jsonTexts
    : [...Hostile.jsonTexts, { name: "one character too many", value: JSON.stringify("a".repeat(maxLength + 1)) }]

const strayFields = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "", "a\\u0000b", "\\ud800"]

const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`There is no value for {${name}} of ${path}: make one`)
    return value
  })

/** Returns variants of an id, each with exactly one error. */
const spoiltIds = (id: string): ReadonlyArray<Hostile.HostileValue> =>
  [
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    id.replace(/_.*/, `_${"z".repeat(26)}`),
    `${id}%00`,
    `${id}%20`,
    `${id}/`
  ]
    .filter((spoilt) => spoilt !== id)
    .map((value) => ({ name: value, value }))

function* bodyRequests(
  { example, fields }: NonNullable<OperationInputs["body"]>,
  send: (name: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>) => HostileRequest
): Generator<HostileRequest> {
  const good = JSON.stringify(example)
  for (const field of fields) {
    const at = `#/${field.path.join("/")}`
    for (const { name, value } of valuesFor(field)) yield send(`${at} is ${name}`, bodyWith(example, field.path, value))
    if (field.path.at(-1) !== 0) yield send(`${at} stands twice`, bodyWithTwice(example, field.path))
  }
  for (const name of strayFields) {
    const inner = good === "{}" ? "" : `,${good.slice(1, -1)}`
    yield send(`a field "${name}"`, `{"${name}":{"polluted":true}${inner}}`)
  }
  for (const { name, value } of Hostile.bodies(good)) yield send(name, value)
  for (const type of Hostile.contentTypes) yield send(`content type ${type}`, good, { "content-type": type })
  for (const encoding of Hostile.contentEncodings) {
    yield send(`encoding ${encoding}`, good, { ...json, "content-encoding": encoding })
  }
}

function* queryRequests(names: ReadonlyArray<string>, path: string): Generator<readonly [string, string]> {
  for (const name of names) {
    for (const { name: value, value: text } of Hostile.urlTexts) yield [`?${name}=${value}`, `${path}?${name}=${text}`]
    for (const query of [
      name,
      `${name}=`,
      `${name}=1&${name}=2`,
      `${name}[]=1`,
      `${name}[__proto__]=1`,
      `&&=&${name}`
    ]) {
      yield [`?${query}`, `${path}?${query}`]
    }
  }
  for (const { name, value } of Hostile.urlTexts) yield [`a parameter named ${name}`, `${path}?${value}=1`]
  yield ["1,000 parameters", `${path}?${"a=1&".repeat(1_000)}`]
}

/**
 * Generates requests to one operation. Each is corrupted in one place, such as a body field, a path parameter or a
 * header.
 */
export function* hostileRequests(inputs: OperationInputs, good: GoodRequest): Generator<HostileRequest> {
  const { body, method } = inputs
  const path = fill(inputs.path, good.pathValues)
  const goodBody = body === undefined ? undefined : encoder.encode(JSON.stringify(body.example))
  const goodHeaders = { ...good.headers, ...(goodBody === undefined ? {} : json) }
  const request = (name: string, spoilt: Partial<HostileRequest>): HostileRequest => ({
    name,
    method,
    path,
    headers: goodHeaders,
    body: goodBody,
    ...spoilt
  })

  if (body !== undefined) {
    yield* bodyRequests(body, (name, sent, headers = json) =>
      request(name, {
        body: typeof sent === "string" ? encoder.encode(sent) : sent,
        headers: { ...good.headers, ...headers }
      })
    )
  }
  for (const name of inputs.pathParameters) {
    for (const { name: value, value: text } of [...Hostile.urlTexts, ...spoiltIds(good.pathValues[name] ?? "")]) {
      yield request(`{${name}} is ${value}`, { path: fill(inputs.path, { ...good.pathValues, [name]: text }) })
    }
  }
  for (const [name, url] of queryRequests(inputs.queryParameters, path)) yield request(name, { path: url })
  for (const header of inputs.headers.map((name) => name.toLowerCase())) {
    for (const { name, value } of Hostile.headerTexts) {
      yield request(`${header}: ${name}`, { headers: { ...goodHeaders, [header]: value } })
    }
  }
  for (const [name, value] of Hostile.headers) {
    yield request(`${name}: ${value.slice(0, 40)}`, { headers: { ...goodHeaders, [name]: value } })
  }
}
