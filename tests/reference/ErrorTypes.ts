import path from "node:path"
import { pathToFileURL } from "node:url"
import { Schema, type SchemaAST } from "effect"
import { root } from "../../scripts/packages.ts"

interface ErrorClass {
  readonly fields: Readonly<Record<string, { readonly ast: SchemaAST.AST }>>
}

const isErrorClass = (exported: unknown): exported is ErrorClass =>
  typeof exported === "function" && exported.prototype instanceof Error && Schema.isSchema(exported)

/** Returns the type that a schema decodes to, in readers' terms: a branded string is a string. */
const typeOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "string"
    case "Number":
      return "number"
    case "BigInt":
      return "bigint"
    case "Boolean":
      return "boolean"
    case "Unknown":
      return "unknown"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types.map(typeOf).join(" | ")
    case "Arrays":
      return ast.rest.map((item) => (item._tag === "Union" ? `(${typeOf(item)})[]` : `${typeOf(item)}[]`)).join()
    case "Objects":
      return `{ ${ast.propertySignatures.map(({ name, type }) => fieldOf(String(name), type)).join("; ")} }`
    case "Declaration":
      // A class has the type of its fields as a type parameter. Declarations without parameters are shown as `unknown`.
      return ast.typeParameters.length === 0 ? "unknown" : ast.typeParameters.map(typeOf).join(" & ")
    default:
      throw new Error(`The reference has no type for a schema of ${ast._tag}.`)
  }
}

const fieldOf = (name: string, ast: SchemaAST.AST): string =>
  `${name}${ast.context?.isOptional === true ? "?" : ""}: ${typeOf(ast)}`

/** Splits a union that is too long for one line, so that each object type starts a new line. */
const lineOf = (field: string): string =>
  field.length <= 110 || !field.includes(" | ")
    ? field
    : field.replace(": ", ":\n    | ").replaceAll(" | {", "\n    | {")

const interfaceOf = (name: string, { fields }: ErrorClass): string =>
  [
    `interface ${name} extends Error {`,
    ...Object.entries(fields).map(([field, { ast }]) => `  readonly ${lineOf(fieldOf(field, ast))}`),
    "}"
  ].join("\n")

/** Returns an interface for every error class that these modules export, keyed by class name. */
export const errorTypesOf = async (files: ReadonlyArray<string>): Promise<ReadonlyMap<string, string>> => {
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(root, file)).href)))
  const classes = modules.flatMap((module) => Object.entries(module)).filter(([, exported]) => isErrorClass(exported))
  return new Map(
    classes.flatMap(([name, exported]) => (isErrorClass(exported) ? [[name, interfaceOf(name, exported)]] : []))
  )
}
