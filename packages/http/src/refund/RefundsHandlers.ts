import { RefundId } from "@surety/core/Ids"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { pageJson, readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { createRefund } from "./createRefund.js"
import { refundJson } from "./RefundRecord.js"
import { refundRefusals } from "./RefundRefusals.js"

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
          refundRefusals.create,
          Effect.gen(function* () {
            return yield* create(request, yield* Exchange, yield* CurrentPrincipal)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          refundRefusals.get,
          Effect.gen(function* () {
            const refund = yield* refunds.get(yield* CurrentPrincipal, yield* refundIn(params.refundId))
            return jsonAnswer(yield* Exchange, refundJson(refund), 200)
          })
        )
      )
      .handle("list", ({ query }) =>
        answer(
          refundRefusals.list,
          Effect.gen(function* () {
            const filter = { paymentId: query.transaction_id }
            const scope = yield* CurrentPrincipal
            const page = yield* readPage(["refunds.list", scope.merchantId, scope.environment], query, (request) =>
              refunds.list(scope, filter, request)
            )
            return jsonAnswer(yield* Exchange, pageJson(page, refundJson), 200)
          })
        )
      )
  })
)
