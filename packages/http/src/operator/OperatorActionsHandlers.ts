import { MerchantId } from "@surety/core/Ids"
import { Merchants } from "@surety/core/merchant/Merchants"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { OperatorAccess } from "../access/OperatorAccess.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { operatorActionRefusals } from "./OperatorActionsApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorActions">,
  never,
  OperatorAccess | OperatorActions | Merchants
> = HttpApiBuilder.group(
  Api,
  "operatorActions",
  Effect.fnUntraced(function* (handlers) {
    const actions = yield* OperatorActions
    const merchants = yield* Merchants

    return handlers
      .handle("merchantHistory", ({ params }) =>
        answer(
          operatorActionRefusals.merchantHistory,
          Effect.gen(function* () {
            const history = yield* merchants.history(yield* merchantIn(params.merchantId))
            return { data: history.map(({ merchantId: _, ...change }) => change) }
          })
        )
      )
      .handle("listActions", ({ query }) =>
        answer(
          operatorActionRefusals.listActions,
          Effect.gen(function* () {
            const { actor, from: since, kind, merchantId, serviceId, target, to: until } = query
            const filter = { actor, kind, merchantId, serviceId, since, target, until }
            const found = yield* readPage(["operatorActions.listActions"], query, (page) => actions.list(filter, page))
            return toPage(found, (action) => action)
          })
        )
      )
  })
)
