import { toPage } from "@surety/core/Page"
import { Requests } from "@surety/core/request/Requests"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainRequestEntry } from "../record/Merchants.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { scopeFields } from "./input/whose.js"

/** What merchants sent over HTTP in the last 7 days, and how it was answered. */
export const requests = (run: Run) => ({
  /**
   * Newest first; those with this `status`, and of this `route` (a template such as `/v1/refunds/:refundId`), if given.
   * Never what was sent.
   */
  list: call(
    run,
    Schema.Struct({
      ...scopeFields,
      status: Schema.optionalKey(Schema.Int),
      route: Schema.optionalKey(Schema.String),
      ...pagingFields
    }),
    ({ environment, merchantId, route, status, ...page }) =>
      Effect.gen(function* () {
        const service = yield* Requests
        const key = ["requests.list", merchantId, environment] as const
        const found = yield* readHostPage(key, page, (request) =>
          service.list({ merchantId, environment }, { status, route }, request)
        )
        return toPage(found, plainRequestEntry)
      })
  )
})
