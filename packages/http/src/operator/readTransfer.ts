import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { readMoney } from "@surety/core/input/MoneyInput"
import { transferFaults } from "@surety/core/ledger/transferFaults"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { formWith, readForm } from "../form/Form.js"
import { readIdempotencyKey } from "../form/KeyedForm.js"
import { bodyFaults, inBody } from "../problem/Fault.js"
import { problemOfFaults } from "../problem/Problem.js"
import { OperatorTransferRequest } from "./OperatorMoneyApi.js"

const form = formWith(OperatorTransferRequest, {
  understand: (body) => {
    const money = readMoney(body)
    const faults = [
      ...(Result.isFailure(money) ? bodyFaults([money.failure]) : []),
      ...bodyFaults(transferFaults(body))
    ]
    return Result.isSuccess(money) && faults.length === 0
      ? Result.succeed({ ...body, money: money.success })
      : Result.fail(faults)
  },
  stands: (_, faultyFields) => !["currency", "merchantId", "serviceId"].some((field) => faultyFields.has(field))
})

/**
 * Reads a transfer's body and idempotency key. The key may come from the header, from the body, or from both. Fails if
 * the two differ, if neither is sent, or if either is malformed.
 */
export const readTransfer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const header = readIdempotencyKey(request)
  const isSent = (request.headers["idempotency-key"] ?? "").trim() !== ""
  const earlierFaults = isSent && Result.isFailure(header) ? [header.failure] : []
  const { idempotencyKey, ...body } = yield* readForm(request, form, { earlierFaults })
  if (idempotencyKey === undefined) {
    return Result.isSuccess(header) ? { ...body, key: header.success } : yield* problemOfFaults([header.failure])
  }
  const key = IdempotencyKey.make(idempotencyKey)
  if (Result.isSuccess(header) && header.success !== key) {
    const detail = "Expected the key of the header Idempotency-Key, or none."
    return yield* problemOfFaults([inBody(["idempotencyKey"], "not_allowed_value", detail)])
  }
  return { ...body, key }
})
