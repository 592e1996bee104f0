import { HttpServerResponse } from "effect/http"
import type { ExchangeShape } from "./Exchange.js"

/**
 * Path of the record that a 201 returns, by route. `:name` stands for the record's field of that name. Omits routes
 * whose callers cannot read the record by an id.
 */
export const locations: Readonly<Record<string, `/${string}`>> = {
  "POST /v1/data-requests": "/v1/data-requests/:id",
  "POST /v1/data-requests/:dataRequestId/cancel": "/v1/data-requests/:id",
  "POST /v1/refunds": "/v1/refunds/:refundId",
  "POST /v1/kyc/verifications": "/v1/kyc/verifications/:reference",
  "POST /v1/kyc/verifications/:reference/code": "/v1/kyc/verifications/:reference",
  "POST /v1/test-helpers/refunds/:refundId/settle": "/v1/refunds/:refundId",
  "POST /v1/test-helpers/data-requests/:dataRequestId/approve": "/v1/data-requests/:id",
  "POST /v1/test-helpers/data-requests/:dataRequestId/deny": "/v1/data-requests/:id",
  "POST /v1/test-helpers/data-requests/:dataRequestId/expire": "/v1/data-requests/:id",
  "POST /v1/test-helpers/grants/:grantId/revoke": "/v1/grants/:id",
  "POST /v1/test-helpers/grants/:grantId/expire": "/v1/grants/:id",
  "POST /merchants": "/merchants/:id",
  "POST /merchants/:merchantId/webhooks": "/merchants/:merchantId/webhooks/:id",
  "POST /merchants/:merchantId/webhooks/:endpointId/rotate-secret": "/merchants/:merchantId/webhooks/:id",
  "POST /operator/merchants/:merchantId/status": "/merchants/:id",
  "POST /operator/consumers": "/operator/consumers/:serviceId",
  "POST /operator/proposals": "/operator/proposals/:id",
  "POST /operator/proposals/:proposalId/approve": "/operator/proposals/:id",
  "POST /operator/proposals/:proposalId/refuse": "/operator/proposals/:id",
  "POST /operator/people/:serviceId/rectify": "/operator/consumers/:serviceId"
}

const utf8 = new TextDecoder()

/** Returns the url of a record, or `undefined` if the record lacks a field that the url needs. */
const urlOf = (form: string, record: Readonly<Record<string, unknown>>, publicUrl: string): string | undefined => {
  let isComplete = true
  const path = form.replace(/:(\w+)/g, (_, name: string) => {
    const value = record[name]
    if (typeof value === "string" && value !== "") return encodeURIComponent(value)
    isComplete = false
    return ""
  })
  return isComplete ? `${publicUrl}${path}` : undefined
}

/**
 * Adds `Location` (RFC 9110, section 15.3.2) to a 201 of a route in `locations`. `route` is the template of the route
 * below the base path. `record` contains the fields for the url, if they are known without the body.
 */
export const withLocation = (
  response: HttpServerResponse.HttpServerResponse,
  method: string,
  { record, route }: Pick<ExchangeShape, "record" | "route">,
  publicUrl: string
): HttpServerResponse.HttpServerResponse => {
  const form = response.status === 201 ? locations[`${method} ${route}`] : undefined
  if (form === undefined || response.body._tag !== "Uint8Array") return response
  // The API wrote the body itself, so no schema is needed.
  const url = urlOf(form, record ?? JSON.parse(utf8.decode(response.body.body)), publicUrl)
  return url === undefined ? response : HttpServerResponse.setHeader(response, "location", url)
}
