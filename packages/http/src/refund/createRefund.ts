import type { Principal } from "@surety/core/merchant/ApiKeys"
import * as RefundCommand from "@surety/core/refund/RefundCommand"
import type { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type ExchangeShape, jsonAnswer } from "../Exchange.js"
import { type Form, formWith, readForm } from "../form/Form.js"
import { readIdempotencyKey } from "../form/IdempotencyHeader.js"
import { commandFaults } from "../problem/CommandFaults.js"
import type { Fault } from "../problem/Fault.js"
import { type Problem, problemOfFaults } from "../problem/Problem.js"
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

const replayed = { "idempotent-replayed": "true" } as const

/** `POST /v1/refunds`: the answer's bytes are the ones that the core keeps, so that a replay is the same. */
export const createRefund =
  (refunds: Refunds["Service"]) =>
  (
    request: HttpServerRequest.HttpServerRequest,
    exchange: ExchangeShape,
    principal: Principal
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError | Problem> => {
    const key = readIdempotencyKey(request)
    if (Result.isFailure(key)) {
      // The body is read all the same, so that its faults are told beside the header's.
      const earlierFaults = [key.failure]
      return Effect.andThen(
        readForm(request, refundForm, { earlierFaults }),
        Effect.fail(problemOfFaults(earlierFaults))
      )
    }
    return Effect.flatMap(readForm(request, refundForm), (refund) =>
      Effect.map(refunds.create(principal, key.success, refund), (answer) =>
        jsonAnswer(exchange, answer.body, 201, answer.replayed ? replayed : undefined)
      )
    )
  }
