import { commandOf } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Consumers } from "@surety/core/consumer/Consumers"
import { DataRequestId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { PageRequest } from "@surety/core/Page"
import { toPage } from "@surety/core/Page"
import { Effect, type Layer, Option } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { NoFields } from "../field/NoFields.js"
import { emptyPage, readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { readKeyedForm, replayedHeader } from "../form/KeyedForm.js"
import { dataRequestRefusals } from "./ConsentRefusals.js"
import { dataRequestRecord, withConsentUrl } from "./DataRequestRecord.js"
import { DataRequestForm } from "./DataRequestsApi.js"

const dataRequestIn = pathId(DataRequestId, "data_request_not_found")

const asking = formOf(DataRequestForm)
const nothing = formOf(NoFields)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "dataRequests">,
  never,
  MerchantAccess | DataRequests | Consumers
> = HttpApiBuilder.group(
  Api,
  "dataRequests",
  Effect.fnUntraced(function* (handlers) {
    const requests = yield* DataRequests
    const consumers = yield* Consumers

    /** Finds a consumer by service id. An unknown id is treated like a consumer without data requests. */
    const personOf = ({ environment }: MerchantScope, serviceId: ConsumerId) =>
      consumers.get(environment, serviceId).pipe(
        Effect.asSome,
        Effect.catchTag("ConsumerNotFound", () => Effect.succeedNone)
      )

    return handlers
      .handleRaw("create", ({ request }) =>
        answer(
          dataRequestRefusals.create,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { body, key } = yield* readKeyedForm(request, asking)
            const command = commandOf({
              serviceId: body.service_id,
              requestedFields: body.requested_fields,
              ...(body.purpose === undefined ? {} : { purpose: body.purpose }),
              ...(body.duration === undefined ? {} : { duration: body.duration }),
              ...(body.return_url === undefined ? {} : { returnUrl: body.return_url }),
              ...(body.state === undefined ? {} : { state: body.state })
            })
            const { consentUrl, replayed, response } = yield* requests.create(scope, key, command)
            const sent = withConsentUrl(response, consentUrl)
            return jsonAnswer(yield* Exchange, sent, 201, replayed ? replayedHeader : undefined)
          })
        )
      )
      .handle("list", ({ query }) =>
        answer(
          dataRequestRefusals.list,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const found = yield* readPage(
              ["dataRequests.list", scope.merchantId, scope.environment],
              query,
              Effect.fnUntraced(function* (page: PageRequest) {
                if (query.service_id === undefined) return yield* requests.list(scope, { userId: undefined }, page)
                const person = yield* personOf(scope, query.service_id)
                if (Option.isNone(person)) return emptyPage
                return yield* requests.list(scope, { userId: person.value.userId }, page)
              })
            )
            return toPage(found, dataRequestRecord)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          dataRequestRefusals.get,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            return dataRequestRecord(yield* requests.get({ id: yield* dataRequestIn(params.dataRequestId), scope }))
          })
        )
      )
      .handleRaw("cancel", ({ params, request }) =>
        answer(
          dataRequestRefusals.cancel,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            return dataRequestRecord(yield* requests.cancel(scope, yield* dataRequestIn(params.dataRequestId)))
          })
        )
      )
  })
)
