import type { Principal } from "@surety/core/merchant/ApiKeys"
import { parseRefund, type RefundCommand, type RefundInput } from "@surety/core/refund/RefundCommand"
import type { RefundFailed, Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type ExchangeShape, jsonAnswer } from "../Exchange.js"
import { type Form, formWith } from "../form/Form.js"
import { readKeyedForm, replayedHeader } from "../form/KeyedForm.js"
import { type Fault, snakeCaseFaults } from "../problem/Fault.js"
import type { Problem } from "../problem/Problem.js"
import { RefundRequest as RefundBody } from "./RefundsApi.js"

type Body = typeof RefundBody.Type

const requestOf = ({ merchant_reference, transaction_id, ...others }: Body): RefundInput => ({
  ...others,
  ...(transaction_id === undefined ? {} : { transactionId: transaction_id }),
  ...(merchant_reference === undefined ? {} : { merchantReference: merchant_reference })
})

const stands = ({ code }: Fault, faultyFields: ReadonlySet<PropertyKey>): boolean =>
  code === "payment_identifier_required"
    ? !faultyFields.has("transaction_id") && !faultyFields.has("reference")
    : !faultyFields.has("currency")

const refundForm: Form<RefundCommand> = formWith(RefundBody, {
  understand: (body) => {
    return Result.mapError(parseRefund(requestOf(body)), snakeCaseFaults)
  },
  stands
})

/** Handles `POST /v1/refunds`. Core stores the response's body, so a replay repeats it byte for byte. */
export const createRefund =
  (refunds: Refunds["Service"]) =>
  (
    request: HttpServerRequest.HttpServerRequest,
    exchange: ExchangeShape,
    principal: Principal
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, RefundFailed | Problem> =>
    Effect.flatMap(readKeyedForm(request, refundForm), ({ body, key }) =>
      Effect.map(refunds.create(principal, key, body), ({ refund, replayed, response }) => {
        exchange.record = { refundId: refund.id }
        return jsonAnswer(exchange, response, 201, replayed ? replayedHeader : undefined)
      })
    )
