import type { Field } from "../../../tests/sdks/interface/MerchantInterface.ts"
import type { Call, Value } from "./Call.ts"
import { type Result, resultsOf, variablesOf } from "./resultNames.ts"
import { partsOf } from "./Shell.ts"

const lineWidth = 100

const text = (value: string, results: ReadonlyArray<Result>): string => {
  const parts = partsOf(value)
  const expressions = parts.map((part) =>
    part.kind === "text" ? part.text : part.kind === "variable" ? part.name : `${results[part.call]?.name}.${part.name}`
  )
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    return only.kind === "text" ? JSON.stringify(only.text) : (expressions[0] ?? "")
  }
  return `\`${parts.map((part, index) => (part.kind === "text" ? part.text : `\${${expressions[index]}}`)).join("")}\``
}

const literal = (value: Value, results: ReadonlyArray<Result>, indent: string): string => {
  if (typeof value === "string") return text(value, results)
  if (typeof value !== "object") return String(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const items = Object.entries(value).map(
    ([name, item]) => `${isList ? "" : `${name}: `}${literal(item, results, inner)}`
  )
  const [before, after] = isList ? ["[", "]"] : ["{ ", " }"]
  const line = `${before}${items.join(", ")}${after}`
  if (items.length === 0) return isList ? "[]" : "{}"
  if (indent.length + line.length <= lineWidth - 20 && !line.includes("\n")) return line
  return `${before.trim()}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${after.trim()}`
}

const queryValue = (value: string, field: Field | undefined): Value => {
  if (field?.type.kind === "integer") return Number(value)
  return field?.type.kind === "list" ? value.split(",") : value
}

const callText = ({ body, idempotencyKey, operation, path, query }: Call, results: ReadonlyArray<Result>): string => {
  const queried = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      queryValue(
        value,
        operation.query.find((field) => field.name === name)
      )
    ])
  )
  const values = { ...queried, ...body }
  const takesFields = operation.body.length + operation.query.length > 0
  const given: ReadonlyArray<Value> = [
    ...Object.values(path),
    ...(Object.keys(values).length > 0 || (takesFields && idempotencyKey !== undefined) ? [values] : []),
    ...(idempotencyKey === undefined ? [] : [{ idempotencyKey }])
  ]
  const name = `surety.${operation.id}`
  const line = `${name}(${given.map((each) => literal(each, results, "")).join(", ")})`
  if (line.length <= lineWidth - 24 && !line.includes("\n")) return line
  if (given.length === 1) return `${name}(${literal(given[0] ?? "", results, "")})`
  return `${name}(\n${given.map((each) => `  ${literal(each, results, "  ")}`).join(",\n")}\n)`
}

/** Renders the calls as a complete TypeScript module. */
export const typescript = (calls: ReadonlyArray<Call>, baseUrl: string): string => {
  const results = resultsOf(calls)
  const variables = ["KEY", ...variablesOf(calls)].map((name) => `${name} = ""`)
  const statements = calls.map((call, index) => {
    const { isRead, name = "" } = results[index] ?? {}
    const made = callText(call, results)
    const isLast = index === calls.length - 1
    if (call.operation.answer.kind === "pages") {
      return isLast ? `for await (const ${name} of ${made}) {\n  console.log(${name})\n}` : `await ${made}`
    }
    return isRead ? `const ${name} = await ${made}${isLast ? `\nconsole.log(${name})` : ""}` : `await ${made}`
  })
  return `import { createClient } from "@surety/client"

const { ${variables.join(", ")} } = process.env
const surety = createClient({ apiKey: KEY, baseUrl: "${baseUrl}" })

${statements.join("\n")}
`
}
