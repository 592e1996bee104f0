import type { Field, Operation, Type } from "../../../tests/sdks/interface/MerchantInterface.ts"
import { type Command, commandsIn, partsOf, quotedMarks, variable, withMarks } from "./Shell.ts"

/** A JSON value in a request. Strings may contain marks for variables and response fields (`partsOf`). */
export type Value = string | number | boolean | ReadonlyArray<Value> | { readonly [name: string]: Value }

/** A call to an operation, independent of any language. */
export interface Call {
  readonly operation: Operation
  /** Values of the operation's path fields, by field name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, Value>> | undefined
  readonly idempotencyKey: string | undefined
}

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly data: string | undefined
}

const withArgument = new Set(["-o", "-D", "-w"])

const requestOf = (words: ReadonlyArray<string>): Request | undefined => {
  const headers = new Map<string, string>()
  let method: string | undefined
  let url: string | undefined
  let data: string | undefined
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? ""
    const next = words[at + 1] ?? ""
    if (withArgument.has(word)) at += 1
    else if (word === "-X") {
      method = next
      at += 1
    } else if (word === "-H") {
      const colon = next.indexOf(":")
      headers.set(next.slice(0, colon).toLowerCase(), next.slice(colon + 1).trim())
      at += 1
    } else if (word === "-d") {
      data = next
      at += 1
    } else if (word === "-sS") continue
    else if (word.startsWith("-") || url !== undefined) return undefined
    else url = word
  }
  return url === undefined ? undefined : { method: method ?? "GET", url, headers, data }
}

const formOf = ({ path }: Operation): RegExp => new RegExp(`^${path.replaceAll(/\{(\w+)\}/gu, "(?<$1>[^/]+)")}$`, "u")

const takes = (type: Type, value: Value): boolean => {
  if (typeof value === "string" && partsOf(value).some(({ kind }) => kind !== "text")) return true
  switch (type.kind) {
    case "string":
      return typeof value === "string"
    case "amount":
    case "integer":
      return typeof value === "number"
    case "boolean":
      return typeof value === "boolean"
    case "list":
      return Array.isArray(value) && value.every((item: Value) => takes(type.of, item))
    default:
      return typeof value === "object"
  }
}

/** True if each value fits its field and no required field is missing, as a typed client requires. */
const fits = (fields: ReadonlyArray<Field>, values: Readonly<Record<string, Value>>): boolean =>
  Object.entries(values).every(([name, value]) => {
    const field = fields.find((each) => each.name === name)
    return field !== undefined && takes(field.type, value)
  }) && fields.every(({ name, required }) => !required || values[name] !== undefined)

const bodyOf = (data: string | undefined): Call["body"] =>
  data === undefined ? undefined : JSON.parse(quotedMarks(data))

const base = variable("BASE")
const key = `Bearer ${variable("KEY")}`

const callOf = (words: ReadonlyArray<string>, operations: ReadonlyArray<Operation>): Call | undefined => {
  const request = requestOf(words)
  if (request === undefined || !request.url.startsWith(base) || request.headers.get("authorization") !== key)
    return undefined
  const [pathname = "", search = ""] = request.url.slice(base.length).split("?")
  for (const operation of operations) {
    const match = operation.verb === request.method ? formOf(operation).exec(pathname) : null
    if (match === null) continue
    const query = Object.fromEntries(new URLSearchParams(search))
    const body = bodyOf(request.data)
    const known = Object.keys(query).every((name) => operation.query.some((field) => field.name === name))
    if (!known || !fits(operation.body, body ?? {})) return undefined
    const idempotencyKey = request.headers.get("idempotency-key")
    return { operation, path: { ...match.groups }, query, body, idempotencyKey }
  }
  return undefined
}

const assignment = /^(?<name>[A-Z_]+)=\ue000\.(?<field>\w+)\ue001$/u

const isTee = ({ pipe, words }: Command): boolean => pipe && words[0] === "tee"

/**
 * Returns the calls that a shell block makes with curl. Returns `undefined` if it makes none, uses unsupported syntax,
 * or runs a command other than curl and `tee`. Also returns `undefined` if a typed client could not make one of the
 * calls. In the calls, each variable that the block sets from a response field is replaced by that field.
 */
export const callsIn = (code: string, operations: ReadonlyArray<Operation>): ReadonlyArray<Call> | undefined => {
  const calls: Array<Call> = []
  const set = new Map<string, string>()
  for (const command of commandsIn(code) ?? []) {
    const [first = ""] = command.words
    const assigned = assignment.exec(first)?.groups
    const latest = calls.length - 1
    if (assigned !== undefined && command.words.length === 1) {
      if (latest >= 0) set.set(assigned.name ?? "", `${latest}.${assigned.field}`)
      continue
    }
    if (isTee(command)) continue
    if (first !== "curl" || command.pipe) return undefined
    const words = command.words.map((word) =>
      withMarks(word, (name) => (name.startsWith(".") ? `${latest}${name}` : set.get(name)))
    )
    // An index of -1 means a response from outside the block. A sample for a typed client cannot read it.
    if (words.some((word) => word.includes("\ue000-1."))) return undefined
    const call = callOf(words, operations)
    if (call === undefined) return undefined
    calls.push(call)
  }
  return calls.length === 0 ? undefined : calls
}
