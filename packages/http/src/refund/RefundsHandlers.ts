import { RefundId } from "@surety/core/Ids"
import { answerBody } from "@surety/core/refund/RefundRecord"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { createRefund } from "./createRefund.js"

const refundIn = pathId(RefundId, "refund_not_found")

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "refunds">,
  never,
  MerchantAccess | Refunds
> = HttpApiBuilder.group(
  Api,
  "refunds",
  Effect.fnUntraced(function* (handlers) {
    const refunds = yield* Refunds
    const create = createRefund(refunds)

    return handlers
      .handleRaw("create", ({ request }) =>
        answer(
          Effect.gen(function* () {
            return yield* create(request, yield* Exchange, yield* CurrentPrincipal)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const refund = yield* refunds.get(yield* CurrentPrincipal, yield* refundIn(params.refundId))
            return jsonAnswer(yield* Exchange, answerBody(refund), 200)
          })
        )
      )
      .handle("list", ({ query }) =>
        answer(
          Effect.gen(function* () {
            const filter = { paymentId: query.transaction_id }
            const scope = yield* CurrentPrincipal
            const { data, nextCursor } = yield* readPage(
              ["refunds.list", scope.merchantId, scope.environment],
              query,
              (page) => refunds.list(scope, filter, page)
            )
            const next = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`
            return jsonAnswer(yield* Exchange, `{"data":[${data.map(answerBody).join(",")}]${next}}`, 200)
          })
        )
      )
  })
)
