import type { SchemaAST } from "effect"

/** What each kind of JSON value is called in a sentence. */
const kinds = {
  String: "a text",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "a list",
  Objects: "an object",
  Null: "null"
} as const

const isNamed = (tag: string): tag is keyof typeof kinds => Object.hasOwn(kinds, tag)

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  if (ast._tag !== "Union") return undefined
  const members = ast.types.map(literals)
  return members.every((member) => member !== undefined) ? members.flat() : undefined
}

/** What a schema expects, in words; `undefined` for what is no plain JSON type and no choice of these or of values. */
const expectedWords = (ast: SchemaAST.AST): string | undefined => {
  if (isNamed(ast._tag)) return kinds[ast._tag]
  const values = literals(ast)
  if (values !== undefined) return values.length < 2 ? values[0] : `one of ${values.join(", ")}`
  const members = ast._tag === "Union" ? ast.types.map(expectedWords) : [undefined]
  return members.every((member) => member !== undefined) ? members.join(" or ") : undefined
}

/** Which kind of JSON value was sent, in words, without a word of the value itself. */
const sentKind = (value: unknown): string | undefined => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  switch (typeof value) {
    case "string":
      return "a text"
    case "number":
      return "a number"
    case "boolean":
      return "a boolean"
    case "object":
      return "an object"
    default:
      return undefined
  }
}

const within = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** What stands at a path of a JSON value; `undefined` where nothing does. */
export const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown => path.reduce(within, value)

/**
 * "Expected a number, got a text.": the kinds alone, never the value. A choice is between values, of which it says nothing
 * that a text was sent. `undefined` where there are no words for what the schema expects.
 */
export const mismatchSentence = (ast: SchemaAST.AST, sent: unknown): string | undefined => {
  const expected = expectedWords(ast)
  if (expected === undefined) return undefined
  const got = typeof sent === "string" && literals(ast) !== undefined ? undefined : sentKind(sent)
  return got === undefined || got === expected ? `Expected ${expected}.` : `Expected ${expected}, got ${got}.`
}
