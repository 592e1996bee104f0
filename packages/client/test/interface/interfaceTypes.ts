import openapiTS, { astToString } from "openapi-typescript"
import { merchantDocument, merchantOperations } from "./MerchantInterface.js"

const head = "// Generated from the interface's definition by `vitest -u packages/client`.\n\n"

/** Matches the types and members that are empty because the input document has only schemas. */
const empty = /^export type (?:paths|webhooks|operations|\$defs) = .*\n|^ {4}\w+: never;\n/gmu

/** Generates `Interface.generated.ts`: types of the schemas, event payloads, and each operation's inputs and output. */
export const interfaceTypes = async (): Promise<string> => {
  const options = {
    immutable: true,
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true
  }
  return head + astToString(await openapiTS(merchantDocument(), options)).replace(empty, "")
}

/** Generates `Routes.generated.ts`: each operation's method and path, and whether it takes an idempotency key. */
export const routeTable = (): string => {
  const lines = merchantOperations.map(
    ({ id, keyed, method, path }) =>
      `  "${id}": { method: "${method}", path: "${path}"${keyed ? ", keyed: true" : ""} }`
  )
  const typed = 'import type { Operations } from "./Interface.generated.js"\nimport type { Route } from "./Route.js"\n'
  const doc = "/** How each operation of the interface is reached. */\n"
  return `${head}${typed}\n${doc}export const routes: Readonly<Record<keyof Operations, Route>> = {\n${lines.join(",\n")}\n}\n`
}
