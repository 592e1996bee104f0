import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Grants } from "@surety/core/consent/grant/Grants"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import { DataRequestId, GrantId, PaymentId } from "@surety/core/Ids"
import { readMoney } from "@surety/core/input/MoneyInput"
import { Payments } from "@surety/core/payment/Payments"
import { Effect, type Layer, Random, Redacted, Result } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { dataRequestRecord } from "../consent/DataRequestRecord.js"
import { grantRecord } from "../consent/GrantRecord.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { NoFields } from "../field/NoFields.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, readForm } from "../form/Form.js"
import { paymentRecord } from "../payment/PaymentRecord.js"
import { bodyFaults } from "../problem/Fault.js"
import { TestApprovalRequest, TestConsumerRequest, TestPaymentRequest, testHelperRefusals } from "./TestHelpersApi.js"

const paymentIn = pathId(PaymentId, "payment_not_found")

const dataRequestIn = pathId(DataRequestId, "data_request_not_found")
const grantIn = pathId(GrantId, "grant_not_found")

const consumerForm = formOf(TestConsumerRequest)

const approval = formOf(TestApprovalRequest)

const nothing = formOf(NoFields)

/** In the sandbox the merchant decides for the person, and the receipts say so. */
const actor: ConsentActor = { kind: "MERCHANT", name: "test helper" }

const paymentForm = formWith(TestPaymentRequest, {
  understand: (body) =>
    Result.mapBoth(readMoney(body), {
      onSuccess: (money) => ({ ...body, money }),
      onFailure: (fault) => bodyFaults([fault])
    }),
  stands: (_, faultyFields) => !faultyFields.has("currency")
})

const referenceDigits = "0123456789abcdefghjkmnpqrstvwxyz"

/** The default reference of a test payment. */
const nextReference = Effect.map(
  Effect.all(Array.from({ length: 16 }, () => Random.nextIntBetween(0, referenceDigits.length - 1))),
  (picks) => `test-${picks.map((pick) => referenceDigits.charAt(pick)).join("")}`
)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "testHelpers">,
  never,
  MerchantAccess | Consumers | Payments | DataRequests | Grants
> = HttpApiBuilder.group(
  Api,
  "testHelpers",
  Effect.fnUntraced(function* (handlers) {
    const consumers = yield* Consumers
    const payments = yield* Payments
    const requests = yield* DataRequests
    const grants = yield* Grants

    return handlers
      .handleRaw("createConsumer", ({ request }) =>
        answer(
          testHelperRefusals.createConsumer,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            const body = yield* readForm(request, consumerForm, { whenEmpty: "empty object" })
            const consumer = yield* consumers.create(
              {
                environment: "TEST",
                phoneVerified: body.phone_verified ?? false,
                ...(body.ask_limits === true ? { askLimits: true } : {}),
                ...(body.display_name === undefined ? {} : { displayName: Redacted.make(body.display_name) }),
                ...(body.country === undefined ? {} : { country: body.country }),
                ...(body.email === undefined ? {} : { email: Redacted.make(body.email) })
              },
              body.linked === false ? undefined : merchantId
            )
            return consumerRecord(consumer)
          })
        )
      )
      .handleRaw("createPayment", ({ request }) =>
        answer(
          testHelperRefusals.createPayment,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            const { money, reference, service_id, settled } = yield* readForm(request, paymentForm)
            const payment = yield* payments.record({
              scope: { merchantId, environment: "TEST" },
              amount: money,
              method: "WALLET",
              serviceId: service_id,
              reference: reference ?? (yield* nextReference),
              settled: settled ?? true
            })

            return paymentRecord(payment)
          })
        )
      )
      .handleRaw("settlePayment", ({ params, request }) =>
        answer(
          testHelperRefusals.settlePayment,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            return paymentRecord(yield* payments.settle(scope, yield* paymentIn(params.transactionId)))
          })
        )
      )
      .handleRaw("approveDataRequest", ({ params, request }) =>
        answer(
          testHelperRefusals.approveDataRequest,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { fields } = yield* readForm(request, approval, { whenEmpty: "empty object" })
            const target = { id: yield* dataRequestIn(params.dataRequestId), scope }
            const approved = yield* requests.approve(target, { actor, ...(fields === undefined ? {} : { fields }) })
            return dataRequestRecord(approved.request)
          })
        )
      )
      .handleRaw("denyDataRequest", ({ params, request }) =>
        answer(
          testHelperRefusals.denyDataRequest,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            const target = { id: yield* dataRequestIn(params.dataRequestId), scope }
            return dataRequestRecord(yield* requests.deny(target, { actor, reason: "DECLINED" }))
          })
        )
      )
      .handleRaw("revokeGrant", ({ params, request }) =>
        answer(
          testHelperRefusals.revokeGrant,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            return grantRecord(yield* grants.revoke({ id: yield* grantIn(params.grantId), scope }, { actor }))
          })
        )
      )
  })
)
