import { identifierText } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { Requests } from "@surety/core/request/Requests"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainRequestEntry } from "../record/Merchants.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { scopeFields } from "./input/scopeAndPerson.js"

const status = Schema.Int.check(
  Schema.makeFilter((code: number) => code >= 100 && code <= 599, {
    expected: "an HTTP status, from 100 to 599",
    code: "out_of_range"
  })
)

/** The log of HTTP requests made with merchants' API keys. */
export const requests = (run: Run) => ({
  /**
   * A merchant's requests of the last 7 days, newest first. An entry never contains the request's path, query or body.
   * Of the headers, it contains only the request id and the last four characters of the API key. `status` and `route`
   * filter the list. A route is a template, such as `/v1/refunds/:refundId`.
   */
  list: call(
    run,
    Schema.Struct({
      ...scopeFields,
      status: Schema.optionalKey(status),
      route: Schema.optionalKey(identifierText(256)),
      ...pagingFields
    }),
    ({ environment, merchantId, route, status: answered, ...page }) =>
      Effect.gen(function* () {
        const service = yield* Requests
        const key = ["requests.list", merchantId, environment] as const
        const found = yield* readHostPage(key, page, (request) =>
          service.list({ merchantId, environment }, { status: answered, route }, request)
        )
        return toPage(found, plainRequestEntry)
      })
  )
})
