import type { Field, Type } from "../../../tests/sdks/interface/MerchantInterface.ts"
import type { Call, Value } from "./Call.ts"
import { type Result, resultsOf } from "./resultNames.ts"
import { partsOf } from "./Shell.ts"

const camel = (name: string): string => name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

const quoted = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

const text = (value: string, results: ReadonlyArray<Result>): string =>
  partsOf(value)
    .map((part) =>
      part.kind === "text"
        ? quoted(part.text)
        : part.kind === "variable"
          ? `getenv('${part.name}')`
          : `$${results[part.call]?.name}->${camel(part.name)}`
    )
    .join(" . ")

const literal = (value: Value, type: Type | undefined, results: ReadonlyArray<Result>): string => {
  if (typeof value === "string") return text(value, results)
  if (typeof value === "number") return type?.kind === "amount" ? `'${value}'` : String(value)
  if (typeof value === "boolean") return String(value)
  if (Array.isArray(value)) {
    const of = type?.kind === "list" ? type.of : undefined
    return `[${value.map((item: Value) => literal(item, of, results)).join(", ")}]`
  }
  const members = Object.entries(value).map(([name, item]) => {
    const amount: Type | undefined = typeof item === "number" ? { kind: "amount" } : undefined
    return `'${name}' => ${literal(item, amount, results)}`
  })
  return `[${members.join(", ")}]`
}

const queryValue = (value: string, field: Field | undefined): Value => {
  if (field?.type.kind === "integer") return Number(value)
  return field?.type.kind === "list" ? value.split(",") : value
}

const callText = ({ body, idempotencyKey, operation, path, query }: Call, results: ReadonlyArray<Result>): string => {
  const typeOf = (name: string): Type | undefined => operation.body.find((field) => field.name === name)?.type
  const given = [
    ...Object.values(path).map((value) => text(value, results)),
    ...Object.entries(query).map(([name, value]) => {
      const field = operation.query.find((each) => each.name === name)
      return `${camel(name)}: ${literal(queryValue(value, field), field?.type, results)}`
    }),
    ...Object.entries(body ?? {}).map(([name, value]) => `${camel(name)}: ${literal(value, typeOf(name), results)}`),
    ...(idempotencyKey === undefined ? [] : [`idempotencyKey: ${text(idempotencyKey, results)}`])
  ]
  const name = `$surety->${operation.group}->${operation.method}`
  const line = `${name}(${given.join(", ")})`
  return line.length <= 72 ? line : `${name}(\n${given.map((each) => `    ${each},\n`).join("")})`
}

/** Renders the calls as a complete PHP script. */
export const php = (calls: ReadonlyArray<Call>, baseUrl: string): string => {
  const results = resultsOf(calls)
  const statements = calls.map((call, index) => {
    const { isRead, name = "" } = results[index] ?? {}
    const made = callText(call, results)
    const isLast = index === calls.length - 1
    if (call.operation.answer.kind !== "record" && isLast) {
      return `foreach (${made} as $${name}) {\n    print_r($${name}->raw);\n}`
    }
    return isRead ? `$${name} = ${made};${isLast ? `\nprint_r($${name}->raw);` : ""}` : `${made};`
  })
  return `<?php
require 'vendor/autoload.php';

$surety = new Surety\\Client(getenv('KEY'), ${quoted(baseUrl)});

${statements.join("\n")}
`
}
