import { Consumers } from "@surety/core/consumer/Consumers"
import { MerchantId, UserId } from "@surety/core/Ids"
import { readMoney } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Merchants } from "@surety/core/merchant/Merchants"
import {
  consumerCreated,
  linkChanged,
  paymentRecorded,
  settingsChanged,
  statusChanged
} from "@surety/core/operator/actionDrafts"
import { roleForStatus } from "@surety/core/operator/commandRoles"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Payments } from "@surety/core/payment/Payments"
import { Effect, type Layer, Redacted, Result, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentOperator, type OperatorAccess } from "../access/OperatorAccess.js"
import { requireRole } from "../access/OperatorRoles.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, readForm } from "../form/Form.js"
import { operatorVerificationRecord } from "../kyc/VerificationRecord.js"
import { operatorMerchantRecord } from "../merchant/MerchantRecord.js"
import { paymentRecord } from "../payment/PaymentRecord.js"
import { bodyFaults } from "../problem/Fault.js"
import { problem } from "../problem/Problem.js"
import { makeActing } from "./ActingOperator.js"
import { balanceRecord, trialBalanceRecord } from "./LedgerRecord.js"
import {
  ConsumerRequest,
  LinkRequest,
  MerchantSettingsRequest,
  operatorRefusals,
  PaymentRequest,
  StatusRequest
} from "./OperatorApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")

const readServiceId = Schema.decodeEffect(ServiceId)

/** Reads the consumer identifier in a path, in any accepted form. A malformed one counts as not linked. */
const linkedIn = (sent: string) => Effect.mapError(readServiceId(sent), () => problem("link_not_found"))

const settingsForm = formOf(MerchantSettingsRequest)
const statusForm = formOf(StatusRequest)
const consumerForm = formOf(ConsumerRequest)
const linkForm = formOf(LinkRequest)
const paymentForm = formWith(PaymentRequest, {
  understand: (body) =>
    Result.mapBoth(readMoney(body), {
      onSuccess: (money) => ({ ...body, money }),
      onFailure: (fault) => bodyFaults([fault])
    }),
  stands: (_, faultyFields) => !faultyFields.has("currency")
})

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operator">,
  never,
  OperatorAccess | OperatorActions | Merchants | Consumers | Payments | Verifications | Ledger
> = HttpApiBuilder.group(
  Api,
  "operator",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const consumers = yield* Consumers
    const payments = yield* Payments
    const verifications = yield* Verifications
    const ledger = yield* Ledger
    const acting = yield* makeActing

    return handlers
      .handle("listMerchants", ({ query }) =>
        answer(
          operatorRefusals.listMerchants,
          Effect.map(readPage(["operator.listMerchants"], query, merchants.list), (page) =>
            toPage(page, operatorMerchantRecord)
          )
        )
      )
      .handleRaw("changeSettings", ({ params, request }) =>
        answer(
          operatorRefusals.changeSettings,
          Effect.gen(function* () {
            const settings = yield* readForm(request, settingsForm)
            const id = yield* merchantIn(params.merchantId)
            const { after } = yield* acting(merchants.changeSettings(id, settings), (made) =>
              settingsChanged(id, made.before.settings, made.after.settings)
            )
            return operatorMerchantRecord(after)
          })
        )
      )
      .handleRaw("changeStatus", ({ params, request }) =>
        answer(
          operatorRefusals.changeStatus,
          Effect.gen(function* () {
            const { reason, status } = yield* readForm(request, statusForm)
            const id = yield* merchantIn(params.merchantId)
            const operator = yield* CurrentOperator
            yield* requireRole(operator, roleForStatus(status))
            const { name } = operator
            const change = Effect.all({
              merchant: merchants.changeStatus(id, { to: status, actor: name, reason }),
              history: merchants.history(id)
            })
            const { merchant } = yield* acting(change, ({ history }) => history.slice(-1).map(statusChanged)[0])
            return operatorMerchantRecord(merchant)
          })
        )
      )
      .handleRaw("link", ({ params, request }) =>
        answer(
          operatorRefusals.link,
          Effect.gen(function* () {
            const { environment = "LIVE", serviceId } = yield* readForm(request, linkForm)
            const merchant = yield* merchants.get(yield* merchantIn(params.merchantId))
            const scope = { merchantId: merchant.id, environment }
            const { consumer } = yield* acting(consumers.link(merchant.id, environment, serviceId), ({ isNew }) =>
              isNew ? linkChanged("link.created", scope, serviceId) : undefined
            )
            return { merchantId: merchant.id, environment, userId: consumer.userId, serviceId: consumer.serviceId }
          })
        )
      )
      .handle("listLinks", ({ params, query }) =>
        answer(
          operatorRefusals.listLinks,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const { environment = "LIVE" } = query
            const key = ["operator.listLinks", id, environment] as const
            const found = yield* readPage(key, query, (page) => consumers.listLinked(id, environment, page))
            return { environment, ...toPage(found, (link) => link) }
          })
        )
      )
      .handle("unlink", ({ params, query }) =>
        answer(
          operatorRefusals.unlink,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const { environment = "LIVE" } = query
            const serviceId = yield* linkedIn(params.serviceId)
            yield* acting(consumers.unlink(id, environment, serviceId), () =>
              linkChanged("link.removed", { merchantId: id, environment }, serviceId)
            )
          })
        )
      )
      .handleRaw("createConsumer", ({ request }) =>
        answer(
          operatorRefusals.createConsumer,
          Effect.gen(function* () {
            const { displayName, email, environment, phoneVerified, userId, ...body } = yield* readForm(
              request,
              consumerForm
            )
            const created = consumers.create(
              {
                ...body,
                environment: environment ?? "LIVE",
                phoneVerified: phoneVerified ?? false,
                ...(userId === undefined ? {} : { id: userId }),
                ...(displayName === undefined ? {} : { displayName: Redacted.make(displayName) }),
                ...(email === undefined ? {} : { email: Redacted.make(email) })
              },
              undefined
            )
            return consumerRecord(yield* acting(created, consumerCreated))
          })
        )
      )
      .handle("listConsumers", ({ query }) =>
        answer(
          operatorRefusals.listConsumers,
          Effect.gen(function* () {
            const { email, environment = "LIVE", externalId, userId } = query
            const key = ["operator.listConsumers", environment] as const
            const filter = {
              externalId,
              userId: userId === undefined ? undefined : UserId.make(userId),
              email: email === undefined ? undefined : Redacted.make(email, { label: "email" })
            }
            const found = yield* readPage(key, query, (page) => consumers.list(environment, page, filter))
            return { environment, ...toPage(found, consumerRecord) }
          })
        )
      )
      .handleRaw("createPayment", ({ request }) =>
        answer(
          operatorRefusals.createPayment,
          Effect.gen(function* () {
            const body = yield* readForm(request, paymentForm)
            const merchant = yield* merchants.get(yield* merchantIn(body.merchantId))
            const recorded = payments.record({
              scope: { merchantId: merchant.id, environment: body.environment ?? "LIVE" },
              amount: body.money,
              method: body.method ?? "WALLET",
              settled: body.settled ?? true,
              ...(body.transactionId === undefined ? {} : { id: body.transactionId }),
              ...(body.serviceId === undefined ? {} : { serviceId: body.serviceId }),
              ...(body.reference === undefined ? {} : { reference: body.reference })
            })

            return paymentRecord(yield* acting(recorded, paymentRecorded))
          })
        )
      )
      .handle("listPayments", ({ query }) =>
        answer(
          operatorRefusals.listPayments,
          Effect.gen(function* () {
            const { environment = "LIVE" } = query
            const key = ["operator.listPayments", environment] as const
            const found = yield* readPage(key, query, (page) => payments.list(environment, page))
            return { environment, ...toPage(found, paymentRecord) }
          })
        )
      )
      .handle("listVerifications", ({ query }) =>
        answer(
          operatorRefusals.listVerifications,
          Effect.gen(function* () {
            const { environment = "LIVE", merchantId } = query
            const key = ["operator.listVerifications", environment] as const
            const found = yield* readPage(key, query, (page) =>
              verifications.listAll({ environment, merchantId }, page)
            )
            return { environment, ...toPage(found, operatorVerificationRecord) }
          })
        )
      )
      .handle("balances", ({ query }) =>
        answer(
          operatorRefusals.balances,
          Effect.gen(function* () {
            const { environment = "LIVE" } = query
            const key = ["operator.balances", environment] as const
            const found = yield* readPage(key, query, (page) => ledger.balances(environment, page))
            return { environment, ...toPage(found, balanceRecord) }
          })
        )
      )
      .handle("trialBalance", () =>
        answer(operatorRefusals.trialBalance, Effect.map(ledger.trialBalance, trialBalanceRecord))
      )
  })
)
