import { SchemaIssue } from "effect"
import { mismatchSentence, valueAt } from "./ExpectedWords.js"
import type { FaultCode } from "./FaultCode.js"

/** A schema's finding, as it goes into a fault. */
export interface IssueFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly code: string
  readonly detail: string
}

/** What is known of a fault that says no code of its own. */
const plain: FaultCode = "wrong_format"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (issue: SchemaIssue.Issue): string => `${format(issue).issues[0]?.message ?? "Not valid"}.`

const annotatedCode = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined => {
  const code = annotations?.code
  return typeof code === "string" ? code : undefined
}

const unknownField = (path: ReadonlyArray<PropertyKey>): IssueFault => ({
  path,
  code: "unknown_field",
  detail: "This field is not known here."
})

const mismatch = (issue: SchemaIssue.InvalidType | SchemaIssue.AnyOf, sent: unknown): string =>
  mismatchSentence(issue.ast, sent) ?? sentence(issue)

const leaf = (
  issue: SchemaIssue.Leaf,
  path: ReadonlyArray<PropertyKey>,
  code: string | undefined,
  input: unknown
): IssueFault => {
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
): ReadonlyArray<IssueFault> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => faultsAt(inner, input, path))
    case "Pointer":
      return faultsAt(issue.issue, input, [...path, ...issue.path])
    case "Encoding":
      return faultsAt(issue.issue, input, path)
    case "AnyOf":
      // Of the alternatives, those that the value's type rules out are not tried.
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
 * Every finding of a schema, by the structure of its issue: which field, what is wrong, in words. Of `input`, what was
 * sent, only the kinds of its values are told; where it is left out, not even those.
 */
export const issueFaults = (issue: SchemaIssue.Issue, input?: unknown): ReadonlyArray<IssueFault> =>
  faultsAt(issue, input, [])
