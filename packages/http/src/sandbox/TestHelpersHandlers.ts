import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Grants } from "@surety/core/consent/grant/Grants"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import { DataRequestId, GrantId, PaymentId, RefundId } from "@surety/core/Ids"
import type { InputFault } from "@surety/core/input/InputFault"
import { readMoney } from "@surety/core/input/MoneyInput"
import { Payments } from "@surety/core/payment/Payments"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import { Sandbox } from "@surety/core/sandbox/Sandbox"
import { Effect, type Layer, Random, Redacted, Result } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { dataRequestRecord } from "../consent/DataRequestRecord.js"
import { grantRecord } from "../consent/GrantRecord.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { NoFields } from "../field/NoFields.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, readForm } from "../form/Form.js"
import { paymentRecord } from "../payment/PaymentRecord.js"
import { bodyFaults } from "../problem/Fault.js"
import { refundJson } from "../refund/RefundRecord.js"
import {
  TestApprovalRequest,
  TestClockRequest,
  TestConsumerRequest,
  TestMerchantRequest,
  TestPaymentRequest,
  TestSettlementRequest
} from "./TestHelperBodies.js"
import { testHelperRefusals } from "./TestHelpersApi.js"

const paymentIn = pathId(PaymentId, "payment_not_found")

const dataRequestIn = pathId(DataRequestId, "data_request_not_found")
const refundIn = pathId(RefundId, "refund_not_found")
const grantIn = pathId(GrantId, "grant_not_found")

const consumerForm = formOf(TestConsumerRequest)

const approval = formOf(TestApprovalRequest)

const nothing = formOf(NoFields)

const settlement = formOf(TestSettlementRequest)

const merchantForm = formOf(TestMerchantRequest)

const clockForm = formOf(TestClockRequest)

/** Actor of decisions and revocations by test helpers. The merchant acts for the person, and the receipts say so. */
const actor: ConsentActor = { kind: "MERCHANT", name: "test helper" }

/**
 * Returns a fault if `from_balance` is true for a card payment or a pending payment. A card has no balance, and a
 * pending payment takes no money.
 */
const balanceFaults = ({ from_balance, method, settled }: typeof TestPaymentRequest.Type): ReadonlyArray<InputFault> =>
  from_balance === true && (settled === false || method === "CARD")
    ? [
        {
          path: ["from_balance"],
          code: "not_allowed_value",
          detail: "Only a settled wallet payment can be paid from the wallet's balance."
        }
      ]
    : []

const paymentForm = formWith(TestPaymentRequest, {
  understand: (body) =>
    Result.mapBoth(readMoney(body), {
      onSuccess: (money) => ({ ...body, money }),
      onFailure: (fault) => bodyFaults([fault, ...balanceFaults(body)])
    }).pipe(
      Result.flatMap((read) => {
        const faults = balanceFaults(body)
        return faults.length === 0 ? Result.succeed(read) : Result.fail(bodyFaults(faults))
      })
    ),
  stands: ({ place }, faultyFields) =>
    place.in === "body" && place.path[0] === "from_balance"
      ? !faultyFields.has("settled") && !faultyFields.has("method")
      : !faultyFields.has("currency")
})

const referenceDigits = "0123456789abcdefghjkmnpqrstvwxyz"

/** Generates the default reference of a test payment. */
const nextReference = Effect.map(
  Effect.all(Array.from({ length: 16 }, () => Random.nextIntBetween(0, referenceDigits.length - 1))),
  (picks) => `test-${picks.map((pick) => referenceDigits.charAt(pick)).join("")}`
)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "testHelpers">,
  never,
  MerchantAccess | Consumers | Payments | DataRequests | Grants | HostRefunds | Sandbox
> = HttpApiBuilder.group(
  Api,
  "testHelpers",
  Effect.fnUntraced(function* (handlers) {
    const consumers = yield* Consumers
    const payments = yield* Payments
    const requests = yield* DataRequests
    const grants = yield* Grants
    const refunds = yield* HostRefunds
    const sandbox = yield* Sandbox

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
            const {
              from_balance,
              method = "WALLET",
              money,
              reference,
              refund_outcome = "complete",
              service_id,
              settled = true
            } = yield* readForm(request, paymentForm)
            const payment = yield* payments.recordTest({
              merchantId,
              amount: money,
              method,
              serviceId: service_id,
              reference: reference ?? (yield* nextReference),
              settled,
              ...(refund_outcome === "complete" ? {} : { testOutcome: refund_outcome }),
              ...(from_balance === true ? { fromBalance: from_balance } : {})
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
      .handleRaw("settleRefund", ({ params, request }) =>
        answer(
          testHelperRefusals.settleRefund,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { outcome } = yield* readForm(request, settlement)
            const refund = yield* refunds.settlePlayed(scope, yield* refundIn(params.refundId), outcome)
            return jsonAnswer(yield* Exchange, refundJson(refund), 201)
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
      .handleRaw("expireDataRequest", ({ params, request }) =>
        answer(
          testHelperRefusals.expireDataRequest,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            return dataRequestRecord(
              yield* sandbox.expireRequest(merchantId, yield* dataRequestIn(params.dataRequestId))
            )
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
      .handleRaw("expireGrant", ({ params, request }) =>
        answer(
          testHelperRefusals.expireGrant,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            yield* readForm(request, nothing, { whenEmpty: "empty object" })
            return grantRecord(yield* sandbox.expireGrant(merchantId, yield* grantIn(params.grantId)))
          })
        )
      )
      .handleRaw("switchRefunds", ({ request }) =>
        answer(
          testHelperRefusals.switchRefunds,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            const switched = yield* readForm(request, merchantForm)
            const { refundsEnabled } = yield* sandbox.switchRefunds(merchantId, switched.refundsEnabled)
            return { merchantId, environment: "TEST" as const, refundsEnabled }
          })
        )
      )
      .handle("clock", () =>
        answer(
          testHelperRefusals.clock,
          Effect.gen(function* () {
            return yield* sandbox.clock((yield* CurrentPrincipal).merchantId)
          })
        )
      )
      .handleRaw("advanceClock", ({ request }) =>
        answer(
          testHelperRefusals.advanceClock,
          Effect.gen(function* () {
            const { merchantId } = yield* CurrentPrincipal
            const { advance_seconds } = yield* readForm(request, clockForm)
            return yield* sandbox.advanceClock(merchantId, advance_seconds)
          })
        )
      )
  })
)
