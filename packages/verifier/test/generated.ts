import { type Topic, topics } from "@surety/core/event/DomainEvent"
import { eventTypes, payloadJsonSchema } from "@surety/core/event/EventTypes"

const head = "// Generated from @surety/core/event/EventTypes by `vitest -u packages/verifier`.\n\n"

interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

/** Returns the schema's type in TypeScript. Throws for kinds of schemas that no payload uses yet. */
const typeOf = (schema: JsonSchema, indent: string): string => {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
      return schema.type
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`
    case "object":
      return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`
    default:
      throw new Error(`No TypeScript for ${JSON.stringify(schema)}`)
  }
}

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema, indent: string): string =>
  Object.entries(properties)
    .map(([name, schema]) => {
      const doc = schema.description === undefined ? "" : `${indent}/** ${schema.description} */\n`
      const optional = required.includes(name) ? "" : "?"
      return `${doc}${indent}readonly ${name}${optional}: ${typeOf(schema, indent)}\n`
    })
    .join("")

const interfaceOf = (topic: Topic): string => {
  const { description, name } = eventTypes[topic]
  const fields = fieldsOf(payloadJsonSchema(topic), "  ")
  return `/**\n * Payload of \`${topic}\`. Missing values are omitted, never null.\n *\n * ${description}\n */\nexport interface ${name} {\n${fields}}\n`
}

const markOf = (topic: Topic): string => {
  const { key, value } = eventTypes[topic].mark as { readonly key: string; readonly value?: string }
  const has = `"${key}" in payload`
  return `  "${topic}": (payload) => ${value === undefined ? has : `${has} && payload.${key} === "${value}"`}`
}

/** Generates `Payloads.generated.ts`. */
export const payloadsText = (): string => `${head}${topics.map(interfaceOf).join("\n")}
/** Each topic's payload. */
export interface Payloads {
${topics.map((topic) => `  readonly "${topic}": ${eventTypes[topic].name}\n`).join("")}}

/** For each topic, checks for fields that only its payload has. */
export const marks: { readonly [T in keyof Payloads]: (payload: object) => boolean } = {
${topics.map(markOf).join(",\n")}
}
`

/** Generates `samplePayloads.generated.ts`. */
export const samplesText = (): string => {
  const samples = Object.fromEntries(topics.map((topic) => [topic, eventTypes[topic].example]))
  const lines = JSON.stringify(samples, null, 2).replace(/^( +)"(\w+)":/gmu, "$1$2:")
  return `${head}import type { Payloads } from "./Payloads.generated.js"

/** A payload of every topic, as the service sends it. Spread one to change what your test is about. */
export const samplePayloads: Payloads = ${lines}
`
}
