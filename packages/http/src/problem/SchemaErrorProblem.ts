import { type InputFault, issueFaults } from "@surety/core/input/InputFault"
import { HttpApiError } from "effect/http-api"
import type { Fault } from "./Fault.js"
import { type Problem, problemOfFaults } from "./Problem.js"

const inQuery = ({ code, detail, path }: InputFault): Fault => ({
  place: { in: "query", name: String(path[0] ?? "") },
  code: code === "unknown_field" ? "unknown_parameter" : code,
  detail: code === "unknown_field" ? "This parameter is not known here." : detail
})

/** The problem of a query that its schema rejects; `undefined` for any other failure. Forms read the bodies. */
export const problemOfSchemaError = (failure: unknown): Problem | undefined =>
  HttpApiError.HttpApiSchemaError.is(failure) && failure.kind === "Query"
    ? problemOfFaults(issueFaults(failure.cause.issue).map(inQuery))
    : undefined
