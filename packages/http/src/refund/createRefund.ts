import type { Principal } from "@surety/core/merchant/ApiKeys"
import * as RefundCommand from "@surety/core/refund/RefundCommand"
import type { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type ExchangeShape, jsonAnswer } from "../Exchange.js"
import { type Form, formWith } from "../form/Form.js"
import { readKeyedForm, replayedHeader } from "../form/KeyedForm.js"
import { commandFaults } from "../problem/CommandFaults.js"
import type { Fault } from "../problem/Fault.js"
import type { Problem } from "../problem/Problem.js"
import type { DomainError } from "../problem/Problems.js"
import { RefundRequest } from "./RefundsApi.js"

type Body = typeof RefundRequest.Type

const requestOf = ({ merchant_reference, transaction_id, ...others }: Body): RefundCommand.RefundRequest => ({
  ...others,
  ...(transaction_id === undefined ? {} : { transactionId: transaction_id }),
  ...(merchant_reference === undefined ? {} : { merchantReference: merchant_reference })
})

const stands = ({ code }: Fault, faultyFields: ReadonlySet<PropertyKey>): boolean =>
  code === "payment_identifier_required"
    ? !faultyFields.has("transaction_id") && !faultyFields.has("reference")
    : !faultyFields.has("currency")

/** The refund that a body asks for. The core's rules of form are told together with those of shape. */
const refundForm: Form<RefundCommand.RefundRequest> = formWith(RefundRequest, {
  understand: (body) => {
    const request = requestOf(body)
    return Result.mapBoth(RefundCommand.parse(request), { onSuccess: () => request, onFailure: commandFaults })
  },
  stands
})

/** `POST /v1/refunds`: the answer's bytes are the ones that the core keeps, so that a replay is the same. */
export const createRefund =
  (refunds: Refunds["Service"]) =>
  (
    request: HttpServerRequest.HttpServerRequest,
    exchange: ExchangeShape,
    principal: Principal
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError | Problem> =>
    Effect.flatMap(readKeyedForm(request, refundForm), ({ body, key }) =>
      Effect.map(refunds.create(principal, key, body), (answer) =>
        jsonAnswer(exchange, answer.body, 201, answer.replayed ? replayedHeader : undefined)
      )
    )
