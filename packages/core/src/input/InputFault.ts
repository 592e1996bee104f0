import { type SchemaAST, SchemaIssue } from "effect"

/**
 * Fault codes that are not problem codes, each with its meaning. The HTTP API reports such a fault in a problem with
 * the code `validation_failed`.
 */
export const faultCodes = {
  required: "The field is missing.",
  wrong_type: "The value has the wrong JSON type. null is not the same as a missing field.",
  wrong_format: "The string does not have the expected format.",
  not_allowed_value: "The value is not one of the allowed values.",
  blank: "The string is empty or only white space.",
  too_short: "The string or list is too short.",
  too_long: "The string or list is too long. Characters are counted as Unicode code points.",
  out_of_range: "The number is too small or too large.",
  amount_not_positive: "The amount is not greater than 0.",
  amount_too_large: "The amount is more than 999,999,999,999,999 minor units of the currency.",
  field_unknown: "Unknown identity field.",
  field_repeated: "The identity field is listed twice.",
  field_not_requested: "The merchant did not request this identity field.",
  expiry_past: "The time is not in the future.",
  service_id_invalid: "The string is not a consumer identifier. If it was mistyped, ask the end user for it again.",
  country_unknown: "The string is neither an ISO 3166-1 alpha-2 code nor a country's English name.",
  email_invalid: "The string is not an e-mail address.",
  url_invalid: "The string is not an absolute http or https url.",
  url_credentials: "The url has a user name or password; remove them.",
  hidden_characters: "The string has invisible characters: direction controls or zero-width characters.",
  name_not_allowed: "The name has a check mark, or contains the platform's own name."
} as const satisfies Record<string, string>

export type FaultCode = keyof typeof faultCodes

/** A fault in an input: its path, its code, and a sentence for the caller. */
export interface InputFault<Code extends string = string> {
  readonly path: ReadonlyArray<PropertyKey>
  readonly code: Code
  readonly detail: string
}

/** Maximum number of faults that the HTTP API lists for one request, and that `uncleanTexts` returns. */
export const maxFaults = 100

const kinds = {
  String: "a string",
  Number: "a number",
  BigInt: "a bigint",
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

/**
 * Describes the values that a schema accepts. `undefined` unless the schema is a plain type, a literal or a union of
 * these.
 */
const expectedWords = (ast: SchemaAST.AST): string | undefined => {
  if (isNamed(ast._tag)) return kinds[ast._tag]
  const values = literals(ast)
  if (values !== undefined) return values.length < 2 ? values[0] : `one of ${values.join(", ")}`
  const members = ast._tag === "Union" ? ast.types.map(expectedWords) : [undefined]
  return members.every((member) => member !== undefined) ? members.join(" or ") : undefined
}

const sentKind = (value: unknown): string | undefined => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  switch (typeof value) {
    case "string":
      return "a string"
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

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown => path.reduce(within, value)

/**
 * Builds a message with the expected type or values and, unless redundant, the type sent. Never contains the value
 * sent.
 */
const mismatchSentence = (ast: SchemaAST.AST, sent: unknown): string | undefined => {
  const expected = expectedWords(ast)
  if (expected === undefined) return undefined
  const got = typeof sent === "string" && literals(ast) !== undefined ? undefined : sentKind(sent)
  return got === undefined || got === expected ? `Expected ${expected}.` : `Expected ${expected}, got ${got}.`
}

/** Default code, for faults that do not define their own. */
const plain: FaultCode = "wrong_format"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (issue: SchemaIssue.Issue): string => `${format(issue).issues[0]?.message ?? "Not valid"}.`

const annotatedCode = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined => {
  const code = annotations?.code
  return typeof code === "string" ? code : undefined
}

const unknownField = (path: ReadonlyArray<PropertyKey>): InputFault => ({
  path,
  code: "unknown_field",
  detail: "Unknown field. Check its spelling, or remove it."
})

const mismatch = (issue: SchemaIssue.InvalidType | SchemaIssue.AnyOf, sent: unknown): string =>
  mismatchSentence(issue.ast, sent) ?? sentence(issue)

const leaf = (
  issue: SchemaIssue.Leaf,
  path: ReadonlyArray<PropertyKey>,
  code: string | undefined,
  input: unknown
): InputFault => {
  switch (issue._tag) {
    case "MissingKey":
      return { path, code: "required", detail: "This field is required." }
    case "UnexpectedKey":
      return unknownField(path)
    case "InvalidType":
      return issue.ast._tag === "Never"
        ? unknownField(path)
        : { path, code: "wrong_type", detail: mismatch(issue, valueAt(input, path)) }
    case "InvalidValue":
      return {
        path,
        code: annotatedCode(issue.annotations) ?? code ?? plain,
        detail: typeof issue.annotations?.message === "string" ? issue.annotations.message : sentence(issue)
      }
    default:
      return { path, code: code ?? plain, detail: sentence(issue) }
  }
}

const faultsAt = (
  issue: SchemaIssue.Issue,
  input: unknown,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<InputFault> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => faultsAt(inner, input, path))
    case "Pointer":
      return faultsAt(issue.issue, input, [...path, ...issue.path])
    case "Encoding":
      return faultsAt(issue.issue, input, path)
    case "AnyOf":
      // `issues` omits alternatives that do not fit the value's type. If only one is left, its faults are exact.
      if (issue.issues.length === 1) return issue.issues.flatMap((inner) => faultsAt(inner, input, path))
      return [{ path, code: "not_allowed_value", detail: mismatch(issue, valueAt(input, path)) }]
    case "Filter": {
      const code = annotatedCode(issue.filter.annotations)
      return issue.issue._tag === "InvalidValue"
        ? [{ ...leaf(issue.issue, path, code, input), detail: sentence(issue) }]
        : faultsAt(issue.issue, input, path)
    }
    default:
      return [leaf(issue, path, undefined, input)]
  }
}

/**
 * Converts a schema issue to its faults, each with path, code and detail. A detail may name the JSON type of a value in
 * `input`, but never the value. Without `input`, no detail names the type sent.
 */
export const issueFaults = (issue: SchemaIssue.Issue, input?: unknown): ReadonlyArray<InputFault> =>
  faultsAt(issue, input, [])
