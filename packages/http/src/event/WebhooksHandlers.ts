import { EndpointEvents } from "@surety/core/event/EndpointEvents"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { Merchants } from "@surety/core/merchant/Merchants"
import { endpointChanged, endpointEnabled, endpointUpdated } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { DateTime, Effect, type Layer, Result } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentProvisioner, type ProvisioningAccess } from "../access/OperatorAccess.js"
import { requireRole } from "../access/OperatorRoles.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, readForm } from "../form/Form.js"
import { makeProvisioning } from "../operator/ActingOperator.js"
import { inBody } from "../problem/Fault.js"
import { endpointRecord, newEndpointRecord } from "./EndpointRecord.js"
import { testEventRecord } from "./EventRecord.js"
import {
  EndpointChangeRequest,
  EndpointRegistrationRequest,
  RecoveryRequest,
  RotationRequest,
  TestEventRequest,
  webhookRefusals
} from "./WebhooksApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")
const endpointIn = pathId(EndpointId, "endpoint_not_found")

const registration = formOf(EndpointRegistrationRequest)
const testing = formOf(TestEventRequest)

const change = formWith(EndpointChangeRequest, {
  understand: (changes) =>
    changes.recover !== undefined && changes.status !== "ENABLED"
      ? Result.fail([inBody(["recover"], "not_allowed_value", "Send it together with status ENABLED.")])
      : Result.succeed(changes)
})
const rotation = formOf(RotationRequest)

const recovery = formWith(RecoveryRequest, {
  understand: ({ since, until }) =>
    until !== undefined && DateTime.isLessThanOrEqualTo(until, since)
      ? Result.fail([inBody(["until"], "out_of_range", "The end must be later than the start.")])
      : Result.succeed({ since, until })
})

const defaultOverlapSeconds = 86_400

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "webhooks">,
  never,
  ProvisioningAccess | OperatorActions | Merchants | WebhookEndpoints | EndpointEvents
> = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const provisioning = yield* makeProvisioning

    /**
     * Returns the merchant's id if the merchant exists. Otherwise fails with `merchant_not_found`, so that clients can
     * tell an unknown merchant from an unknown endpoint.
     */
    const merchantOf = (sent: string) =>
      Effect.gen(function* () {
        const { id } = yield* merchants.get(yield* merchantIn(sent))
        return id
      })

    return handlers
      .handleRaw("register", ({ params, request }) =>
        answer(
          webhookRefusals.register,
          Effect.gen(function* () {
            const sent = yield* readForm(request, registration)
            const merchantId = yield* merchantIn(params.merchantId)
            const registered = endpoints.register(merchantId, { environment: undefined, topics: undefined, ...sent })
            return newEndpointRecord(
              yield* provisioning(registered, ({ endpoint }) => endpointChanged("endpoint.registered")(endpoint))
            )
          })
        )
      )
      .handle("list", ({ params }) =>
        answer(
          webhookRefusals.list,
          Effect.gen(function* () {
            const list = yield* endpoints.list(yield* merchantOf(params.merchantId))
            return { data: list.map(endpointRecord) }
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          webhookRefusals.get,
          Effect.gen(function* () {
            const merchantId = yield* merchantOf(params.merchantId)
            return endpointRecord(yield* endpoints.get(merchantId, yield* endpointIn(params.endpointId)))
          })
        )
      )
      .handleRaw("update", ({ params, request }) =>
        answer(
          webhookRefusals.update,
          Effect.gen(function* () {
            const { recover, ...changes } = yield* readForm(request, change)
            const { status: _, ...others } = changes
            const isSwitch = Object.values(others).every((value) => value === undefined)
            const { operator } = yield* CurrentProvisioner
            yield* requireRole(operator, commandRoles[isSwitch ? "endpoint.switch" : "endpoint.change"])
            const merchantId = yield* merchantOf(params.merchantId)
            const id = yield* endpointIn(params.endpointId)
            const since = recover === true ? "missed" : recover
            const before = endpoints.get(merchantId, id)
            if (since === undefined) {
              const updated = Effect.all({ before, after: endpoints.update(merchantId, id, changes) })
              const { after } = yield* provisioning(updated, (made) => endpointUpdated(made.before, made.after))
              return endpointRecord(after)
            }
            const enabling = Effect.all({ before, enabled: events.enable(merchantId, id, others, since) })
            const { enabled } = yield* provisioning(enabling, (made) => endpointEnabled(made.before, made.enabled))
            const { due, endpoint } = yield* events.sendMissed(enabled)
            return { ...endpointRecord(endpoint), recovered: due }
          })
        )
      )
      .handle("remove", ({ params }) =>
        answer(
          webhookRefusals.remove,
          Effect.gen(function* () {
            const merchantId = yield* merchantOf(params.merchantId)
            const id = yield* endpointIn(params.endpointId)
            const removed = Effect.tap(endpoints.get(merchantId, id), () => endpoints.remove(merchantId, id))
            yield* provisioning(removed, endpointChanged("endpoint.removed"))
          })
        )
      )
      .handleRaw("rotateSecret", ({ params, request }) =>
        answer(
          webhookRefusals.rotateSecret,
          Effect.gen(function* () {
            const { overlapSeconds = defaultOverlapSeconds } = yield* readForm(request, rotation, {
              whenEmpty: "empty object"
            })
            const merchantId = yield* merchantOf(params.merchantId)
            const endpointId = yield* endpointIn(params.endpointId)
            const rotated = endpoints.rotateSecret(merchantId, endpointId, overlapSeconds)
            return newEndpointRecord(
              yield* provisioning(rotated, ({ endpoint }) => endpointChanged("endpoint.secret_rotated")(endpoint))
            )
          })
        )
      )
      .handleRaw("test", ({ params, request }) =>
        answer(
          webhookRefusals.test,
          Effect.gen(function* () {
            const { topic } = yield* readForm(request, testing, { whenEmpty: "empty object" })
            const merchantId = yield* merchantOf(params.merchantId)
            const id = yield* endpointIn(params.endpointId)
            const { delivery, event } = yield* provisioning(events.sendTest(merchantId, id, topic), (sent) =>
              endpointChanged("endpoint.tested")({ ...sent.event, id })
            )
            return testEventRecord(event, delivery)
          })
        )
      )
      .handleRaw("recover", ({ params, request }) =>
        answer(
          webhookRefusals.recover,
          Effect.gen(function* () {
            const { since, until } = yield* readForm(request, recovery)
            const merchantId = yield* merchantOf(params.merchantId)
            const range = { since, until: until ?? (yield* DateTime.now) }
            const id = yield* endpointIn(params.endpointId)
            const recovered = Effect.all({
              endpoint: endpoints.get(merchantId, id),
              due: events.recover(merchantId, id, range)
            })
            const { due } = yield* provisioning(recovered, (made) =>
              made.due === 0
                ? undefined
                : endpointChanged("endpoint.recovered", [
                    { field: "since", to: DateTime.formatIso(range.since) },
                    { field: "until", to: DateTime.formatIso(range.until) }
                  ])(made.endpoint)
            )
            return { due }
          })
        )
      )
  })
)
