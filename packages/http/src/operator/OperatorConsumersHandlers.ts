import { ConsumerChanges, consumerChanged } from "@surety/core/consumer/ConsumerChanges"
import { Consumers } from "@surety/core/consumer/Consumers"
import { consumerChange } from "@surety/core/consumer/changeConsumer"
import { ServiceId } from "@surety/core/input/ServiceId"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect, type Layer, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { formOf, readForm } from "../form/Form.js"
import { makeActing } from "./ActingOperator.js"
import { ConsumerChangeRequest, operatorConsumerRefusals } from "./OperatorConsumersApi.js"
import { operatorNotFound } from "./operatorNotFound.js"

const readServiceId = Schema.decodeEffect(ServiceId)

/** Reads the consumer identifier in a path, in any accepted form. A malformed identifier counts as unknown. */
const consumerIn = (sent: string) => Effect.mapError(readServiceId(sent), () => operatorNotFound.consumer)

const changeForm = formOf(ConsumerChangeRequest)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorConsumers">,
  never,
  OperatorAccess | OperatorActions | Consumers | ConsumerChanges
> = HttpApiBuilder.group(
  Api,
  "operatorConsumers",
  Effect.fnUntraced(function* (handlers) {
    const consumers = yield* Consumers
    const changes = yield* ConsumerChanges
    const acting = yield* makeActing

    return handlers
      .handle("getConsumer", ({ params, query }) =>
        answer(
          operatorConsumerRefusals.getConsumer,
          Effect.gen(function* () {
            const serviceId = yield* consumerIn(params.serviceId)
            return consumerRecord(yield* consumers.get(query.environment ?? "LIVE", serviceId))
          })
        )
      )
      .handleRaw("changeConsumer", ({ params, request }) =>
        answer(
          operatorConsumerRefusals.changeConsumer,
          Effect.gen(function* () {
            const sent = yield* readForm(request, changeForm)
            const { environment = "LIVE", reason, ...details } = sent
            const serviceId = yield* consumerIn(params.serviceId)
            const rectified = changes.rectify(environment, serviceId, consumerChange(details))
            const { consumer } = yield* acting(rectified, (made) => consumerChanged(made, reason))
            return consumerRecord(consumer)
          })
        )
      )
  })
)
