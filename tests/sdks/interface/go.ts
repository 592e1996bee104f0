import {
  type Field,
  groupsOf,
  type MerchantInterface,
  type Operation,
  pascal,
  type RecordType,
  type Type
} from "./MerchantInterface.ts"

const head = "// Code generated from the interface's definition by `vitest -u tests/sdks`. DO NOT EDIT.\n\n"

/** Converts a name to an exported Go identifier: `transactionId` and `transaction_id` become `TransactionID`. */
const exported = (name: string): string =>
  pascal(name)
    .replace(/Id(?=[A-Z]|s?$)/gu, "ID")
    .replace(/Url(?=[A-Z]|$)/gu, "URL")

const local = (name: string): string => {
  const spelled = exported(name)
  return spelled === "ID" ? "id" : spelled.charAt(0).toLowerCase() + spelled.slice(1)
}

const sentence = (text: string): string =>
  text
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/(?<![.:?])$/u, ".")

const comment = (text: string, indent: string): string => {
  if (text === "") return ""
  const lines = [""]
  for (const word of sentence(text).split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line !== "" && line.length + word.length > 100) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.map((line) => `${indent}// ${line}\n`).join("")
}

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return "string"
    case "amount":
      return "Amount"
    case "integer":
      return "int64"
    case "boolean":
      return "bool"
    case "any":
      return "json.RawMessage"
    case "list":
      return `[]${typeOf(type.of)}`
    case "map":
      return `map[string]${typeOf(type.of)}`
    case "record":
      return type.name
  }
}

/**
 * Returns the type of an optional value. An empty string, list, map or JSON value can represent a missing value. Other
 * types need a pointer.
 */
const optionalOf = (type: Type): string =>
  type.kind === "amount" || type.kind === "integer" || type.kind === "boolean" || type.kind === "record"
    ? `*${typeOf(type)}`
    : typeOf(type)

const values = (type: Type): string =>
  type.kind === "string" && type.values.length > 0 ? ` One of ${type.values.join(", ")}.` : ""

const field = ({ docs, name, required, type }: Field): string => {
  const note = [docs === "" ? "" : sentence(docs), values(type).trim()].filter(Boolean).join(" ")
  const tag = required ? name : `${name},omitempty`
  return `${comment(note, "\t")}\t${exported(name)} ${required ? typeOf(type) : optionalOf(type)} \`json:"${tag}"\`\n`
}

const struct = ({ docs, fields, name }: RecordType, isAnswer: boolean): string =>
  `${comment(`${name}: ${docs === "" ? "a record of the service" : docs}`, "")}type ${name} struct {\n${fields.map(field).join("\n")}${
    isAnswer
      ? '\n\t// Reply is the response\'s metadata; nil for a record within another one.\n\tReply *Reply `json:"-"`\n'
      : ""
  }}\n`

/** Generates `models.generated.go`. */
export const goModels = (all: MerchantInterface): string => {
  const answers = new Set(all.operations.map(({ answer }) => answer.name))
  const setters = [...answers]
    .toSorted()
    .map((name) => `func (r *${name}) setReply(reply *Reply) { r.Reply = reply }\n`)
  const isJson = all.records.some(({ fields }) => fields.some(({ type }) => typeOf(type).includes("json.")))
  return `${head}package surety

${isJson ? 'import "encoding/json"\n\n' : ""}${all.records.map((record) => struct(record, answers.has(record.name))).join("\n")}
${all.inputs.map((record) => struct(record, false)).join("\n")}
${setters.join("\n")}`
}

const paramsName = ({ group, method }: Operation): string => `${pascal(group)}${pascal(method)}Params`

const hasParams = ({ body, query }: Operation): boolean => body.length + query.length > 0

const params = (operation: Operation): string => {
  const { body, id, keyed, query } = operation
  const hasList = body.some(({ required, type }) => !required && type.kind === "list")
  const refusal = hasList ? " An empty list that is not nil is refused." : ""
  const key = keyed
    ? '\n\t// IdempotencyKey names what must happen once. Empty: a new one, which makes only the retries of this call safe.\n\tIdempotencyKey string `json:"-"`\n'
    : ""
  return `// ${paramsName(operation)} are the fields of ${id}. A nil or empty one is not sent.${refusal}\ntype ${paramsName(operation)} struct {\n${[
    ...query,
    ...body
  ]
    .map(field)
    .join("\n")}${key}}\n`
}

const queryLine = ({ name, required, type }: Field): string => {
  if (type.kind === "list") return `\tsetList(query, "${name}", params.${exported(name)})\n`
  if (type.kind === "string") return `\tsetText(query, "${name}", params.${exported(name)})\n`
  if (type.kind === "integer" && !required) return `\tsetInteger(query, "${name}", params.${exported(name)})\n`
  throw new Error(`No rule for the query's ${name}`)
}

const method = (operation: Operation): string => {
  const { answer, body, docs, group, keyed, method: name, pathFields, query } = operation
  const service = `${pascal(group)}Service`
  const context = answer.kind === "pages" ? [] : ["ctx context.Context"]
  const parameters = [
    ...context,
    ...pathFields.map((each) => `${local(each.name)} string`),
    ...(hasParams(operation) ? [`params ${paramsName(operation)}`] : []),
    "options ...Option"
  ]
  const pathMap = `map[string]string{${pathFields.map((each) => `"${each.name}": ${local(each.name)}`).join(", ")}}`
  const callFields = [
    `operation: "${operation.id}"`,
    ...(pathFields.length > 0 ? [`path: ${pathMap}`] : []),
    ...(query.length > 0 ? ["query: query"] : []),
    ...(body.length > 0 ? ["body: params"] : []),
    ...(keyed ? ["idempotencyKey: params.IdempotencyKey"] : []),
    "options: options"
  ]
  const returns = {
    record: `(*${answer.name}, error)`,
    records: `([]${answer.name}, error)`,
    pages: `*Iterator[${answer.name}]`
  }[answer.kind]
  const run = {
    record: `return record[${answer.name}](ctx, s.send, call)`,
    records: `return records[${answer.name}](ctx, s.send, call)`,
    pages: `return newIterator[${answer.name}](s.send, call)`
  }[answer.kind]
  return `${comment(`${pascal(name)}: ${docs}`, "")}func (s *${service}) ${pascal(name)}(${parameters.join(", ")}) ${returns} {
${query.length > 0 ? `\tquery := url.Values{}\n${query.map(queryLine).join("")}` : ""}	call := call{${callFields.join(", ")}}
	${run}
}
`
}

/** Generates `operations.generated.go`. */
export const goOperations = (all: MerchantInterface): string => {
  const groups = [...groupsOf(all)]
  const routes = all.operations.map(
    ({ id, keyed, path, verb }) => `\t"${id}": {method: "${verb}", path: "${path}", keyed: ${keyed}},\n`
  )
  const isJson = all.operations.some(({ body, query }) =>
    [...query, ...body].some(({ type }) => typeOf(type).includes("json."))
  )
  return `${head}package surety

import (
	"context"
${isJson ? '\t"encoding/json"\n' : ""}	"net/url"
)

var routes = map[string]route{
${routes.join("\n")}}

${groups
  .map(
    ([group, operations]) => `// ${pascal(group)}Service has the operations of ${group}.
type ${pascal(group)}Service struct{ send *sender }

${operations
  .filter(hasParams)
  .map((each) => `${params(each)}\n`)
  .join("")}${operations.map(method).join("\n")}`
  )
  .join("\n")}
// Services are the groups of operations, which a client has as fields.
type Services struct {
${groups.map(([group]) => `\t${pascal(group)} *${pascal(group)}Service\n`).join("\n")}}

func newServices(send *sender) Services {
	return Services{
${groups.map(([group]) => `\t\t${pascal(group)}: &${pascal(group)}Service{send},\n`).join("\n")}	}
}
`
}

/** Generates `codes.generated.go`. */
export const goCodes = (all: MerchantInterface): string => `${head}package surety

// Codes of problems. A service that is newer than this package may send others.
const (
${all.codes.map(({ code, docs, status }) => `\t// ${status}. ${docs}\n\tCode${exported(code)} = "${code}"\n`).join("")})

// Topics of events.
const (
${all.topics.map(({ topic }) => `\tTopic${exported(topic)} = "${topic}"\n`).join("\n")})
`

/** Generates `webhooks/topics.generated.go`. */
export const goTopics = (all: MerchantInterface): string => `${head}package webhooks

import surety "surety.example/surety-go"

// payloads reads each known topic's payload.
var payloads = map[string]func([]byte) (any, error){
${all.topics.map(({ payload, topic }) => `\t"${topic}": read[surety.${payload}],\n`).join("\n")}}

// A mark is a key that only one topic's payload has; with a value, the key has that value there alone.
var marks = map[string]mark{
${all.topics.map(({ mark, topic }) => `\t"${topic}": {key: "${mark.key}", value: "${mark.value ?? ""}"},\n`).join("\n")}}

// Keys of each topic's payload, in their exact letter case.
var keys = map[string][]string{
${all.topics
  .map(({ payload, topic }) => {
    const fields = all.records.find(({ name }) => name === payload)?.fields ?? []
    const required = fields.filter((each) => each.required).map(({ name }) => `"${name}"`)
    const optional = fields.filter((each) => !each.required).map(({ name }) => `"${name}"`)
    return `\t"${topic}": {${[...required, ...optional].join(", ")}},\n`
  })
  .join("\n")}}

// The number of keys, from the front, without which a payload is refused.
var required = map[string]int{
${all.topics
  .map(({ payload, topic }) => {
    const fields = all.records.find(({ name }) => name === payload)?.fields ?? []
    return `\t"${topic}": ${fields.filter((each) => each.required).length},\n`
  })
  .join("\n")}}
`
