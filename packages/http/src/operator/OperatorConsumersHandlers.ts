import { ConsumerChanges } from "@surety/core/consumer/ConsumerChanges"
import { Consumers } from "@surety/core/consumer/Consumers"
import { ServiceId } from "@surety/core/input/ServiceId"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect, type Layer, Redacted, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { formOf, readForm } from "../form/Form.js"
import { makeActing } from "./ActingOperator.js"
import { consumerChanged } from "./actionDrafts.js"
import { ConsumerChangeRequest, consumerUnknown, operatorConsumerRefusals } from "./OperatorConsumersApi.js"

const readServiceId = Schema.decodeEffect(ServiceId)

/** The consumer identifier in a path, in any accepted form. A malformed one is unknown. */
const consumerIn = (sent: string) => Effect.mapError(readServiceId(sent), () => consumerUnknown)

const changeForm = formOf(ConsumerChangeRequest)

/** A text that is personal from here on; null and undefined stay. */
const personal = (text: string | null | undefined, label: string) =>
  text === null || text === undefined ? text : Redacted.make(text, { label })

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
            const { displayName, email, environment = "LIVE", reason, ...plain } = sent
            const serviceId = yield* consumerIn(params.serviceId)
            const name = personal(displayName, "displayName")
            const address = personal(email, "email")
            const rectified = changes.rectify(environment, serviceId, {
              ...plain,
              ...(name === undefined ? {} : { displayName: name }),
              ...(address === undefined ? {} : { email: address })
            })
            const { consumer } = yield* acting(rectified, (made) => consumerChanged(made, reason))
            return consumerRecord(consumer)
          })
        )
      )
  })
)
