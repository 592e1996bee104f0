import { toPage } from "@surety/core/Page"
import type { RequestEntry } from "@surety/core/request/RequestEntry"
import { Requests } from "@surety/core/request/Requests"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { readPage } from "../field/Paging.js"
import type { RequestRecord } from "./RequestsApi.js"

const requestRecord = ({
  apiKeyId: _,
  environment: __,
  merchantId: ___,
  ...entry
}: RequestEntry): typeof RequestRecord.Type => entry

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "requests">,
  never,
  MerchantAccess | Requests
> = HttpApiBuilder.group(
  Api,
  "requests",
  Effect.fnUntraced(function* (handlers) {
    const requests = yield* Requests

    return handlers.handle("list", ({ query }) =>
      answer(
        {},
        Effect.gen(function* () {
          const scope = yield* CurrentPrincipal
          const filter = { status: query.status === undefined ? undefined : Number(query.status), route: query.route }
          const key = ["requests.list", scope.merchantId, scope.environment] as const
          return toPage(yield* readPage(key, query, (page) => requests.list(scope, filter, page)), requestRecord)
        })
      )
    )
  })
)
