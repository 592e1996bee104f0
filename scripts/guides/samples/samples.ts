import {
  type MerchantInterface,
  merchantInterface,
  type Operation
} from "../../../tests/sdks/interface/MerchantInterface.ts"
import { type Call, callsIn, type Value } from "./Call.ts"
import { go } from "./go.ts"
import { php } from "./php.ts"
import { python } from "./python.ts"
import { partsOf, variable } from "./Shell.ts"
import { typescript } from "./typescript.ts"

/** Placeholder for the deployment's base url. The server replaces it in pages and samples before serving them. */
export const baseUrlMark = "%BASE_URL%"

export type Language = "curl" | "typescript" | "python" | "php" | "go"

export const labels: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  php: "PHP",
  go: "Go"
}

export interface Sample {
  readonly language: Language
  readonly code: string
}

const all: MerchantInterface = merchantInterface()

const inClients = (calls: ReadonlyArray<Call>): ReadonlyArray<Sample> => [
  { language: "typescript", code: typescript(calls, baseUrlMark) },
  { language: "python", code: python(calls, baseUrlMark) },
  { language: "php", code: php(calls, baseUrlMark) },
  { language: "go", code: go(calls, baseUrlMark, all.inputs) }
]

/**
 * Returns samples for a block that calls the API with curl. Returns only the curl sample if `callsIn` cannot read the
 * block's calls.
 */
export const samplesOfBlock = (code: string): ReadonlyArray<Sample> => {
  const calls = callsIn(code, all.operations)
  return [{ language: "curl", code }, ...(calls === undefined ? [] : inClients(calls))]
}

interface DocumentedOperation {
  readonly operationId: string
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly example?: string
    readonly schema?: { readonly examples?: ReadonlyArray<string>; readonly example?: string }
  }>
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: { readonly example?: { readonly value: Readonly<Record<string, Value>> } } }>
    >
  }
}

/** Quotes a string for the shell. Variables go between quoted parts: `'{"id":"'"$ID"'"}'`. */
const shellQuoted = (text: string): string =>
  partsOf(text)
    .map((part) =>
      part.kind === "text"
        ? `'${part.text.replaceAll("'", "'\\''")}'`
        : `"$${part.kind === "variable" ? part.name : ""}"`
    )
    .join("")

/** Returns the name of the shell variable for a parameter: `refundId` becomes `REFUND_ID`. */
const shellName = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_").toUpperCase()

/**
 * Returns the body of the operation's example, or `undefined` if it has none. Ids such as `service_id` become
 * variables, as in the path, since readers must use their own.
 */
const exampleBody = ({ requestBody }: DocumentedOperation): Readonly<Record<string, Value>> | undefined => {
  const example = Object.values(requestBody?.content ?? {})[0]?.examples?.example?.value
  if (example === undefined) return undefined
  const entries = Object.entries(example).map(([name, value]) => [
    name,
    typeof value === "string" && /(?:_id|Id)$/u.test(name) ? variable(shellName(name)) : value
  ])
  return Object.fromEntries(entries)
}

const isKeyed = ({ parameters = [] }: DocumentedOperation): boolean =>
  parameters.some(({ in: place, name }) => place === "header" && name === "Idempotency-Key")

const exampleKey = (operationId: string): string => `${operationId.replace(".", "-")}-order-1001`

const curl = (verb: string, path: string, operation: DocumentedOperation): string => {
  const body = exampleBody(operation)
  const query = (operation.parameters ?? [])
    .filter(({ in: place, required }) => place === "query" && required === true)
    .map(({ name }) => `${name}=$${shellName(name)}`)
    .join("&")
  const url = `${baseUrlMark}${path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => `$${shellName(name)}`)}${query === "" ? "" : `?${query}`}`
  const isOperators = (operation.security ?? []).some((one) => "operatorToken" in one)
  const parts = [
    `curl -sS ${verb === "GET" ? "" : `-X ${verb} `}"${url}"`,
    `-H "Authorization: Bearer $${isOperators ? "OPERATOR_TOKEN" : "KEY"}"`,
    ...(isKeyed(operation) ? [`-H 'Idempotency-Key: ${exampleKey(operation.operationId)}'`] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body, null, 2))}`])
  ]
  return `${parts.join(" \\\n  ")}\n`
}

const callOfExample = (operation: Operation, documented: DocumentedOperation): Call => ({
  operation,
  path: Object.fromEntries(operation.pathFields.map(({ name }) => [name, variable(shellName(name))])),
  query: Object.fromEntries(
    operation.query.filter(({ required }) => required).map(({ name }) => [name, variable(shellName(name))])
  ),
  body: exampleBody(documented),
  idempotencyKey: isKeyed(documented) ? exampleKey(operation.id) : undefined
})

/**
 * Returns samples for an operation of the OpenAPI document, based on its example. Clients cover only merchants'
 * operations, so all others have only a curl sample.
 */
export const samplesOfOperation = (
  verb: string,
  path: string,
  documented: DocumentedOperation
): ReadonlyArray<Sample> => {
  const operation = all.operations.find(({ id }) => id === documented.operationId)
  return [
    { language: "curl", code: curl(verb, path, documented) },
    ...(operation === undefined ? [] : inClients([callOfExample(operation, documented)]))
  ]
}
