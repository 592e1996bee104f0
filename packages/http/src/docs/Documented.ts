import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { ProblemCode } from "../problem/ProblemCode.js"

/** What the documents say of a route beyond its schemas. */
export interface RouteDocument {
  readonly summary: string
  readonly description?: string
  /** What may refuse it besides what refuses every route of its kind. */
  readonly codes: ReadonlyArray<ProblemCode>
  /** Whether the body may be left out. */
  readonly bodyOptional: boolean
}

/** Annotates an endpoint with what the documents say of it. */
export const RouteDocumentation = Context.Reference<RouteDocument>("@surety/http/docs/RouteDocumentation", {
  defaultValue: () => ({ summary: "", codes: [], bodyOptional: false })
})

/** An endpoint's annotations for the documents. */
export const documented = (document: {
  readonly summary: string
  readonly description?: string
  readonly codes?: ReadonlyArray<ProblemCode>
  readonly bodyOptional?: boolean
}): Context.Context<never> =>
  Context.add(
    OpenApi.annotations({ summary: document.summary, description: document.description }),
    RouteDocumentation,
    { codes: [], bodyOptional: false, ...document }
  )
