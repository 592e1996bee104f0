import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { AnyRefusals } from "../problem/Refusal.js"

/** What the documents say of a route beyond its schemas. */
export interface RouteDocument {
  readonly summary: string
  readonly description?: string
  /** What its service refuses. Codes of its kind of route and of its fields are derived from the endpoint. */
  readonly refusals: AnyRefusals
  /** Whether the body may be left out. */
  readonly bodyOptional: boolean
}

/** Annotates an endpoint with what the documents say of it. */
export const RouteDocumentation = Context.Reference<RouteDocument>("@surety/http/docs/RouteDocumentation", {
  defaultValue: () => ({ summary: "", refusals: {}, bodyOptional: false })
})

/** An endpoint's annotations for the documents. */
export const documented = (document: {
  readonly summary: string
  readonly description?: string
  readonly refusals: AnyRefusals
  readonly bodyOptional?: boolean
}): Context.Context<never> =>
  Context.add(
    OpenApi.annotations({ summary: document.summary, description: document.description }),
    RouteDocumentation,
    { bodyOptional: false, ...document }
  )
