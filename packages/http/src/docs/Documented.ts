import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { AnyRefusals } from "../problem/Refusal.js"

export interface RouteDocument {
  readonly summary: string
  readonly description?: string
  /**
   * Refusals for the errors of the service behind the route. Other codes, such as access and input field codes, are
   * derived from the endpoint.
   */
  readonly refusals: AnyRefusals
  readonly bodyOptional: boolean
}

export const RouteDocumentation = Context.Reference<RouteDocument>("@surety/http/docs/RouteDocumentation", {
  defaultValue: () => ({ summary: "", refusals: {}, bodyOptional: false })
})

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
