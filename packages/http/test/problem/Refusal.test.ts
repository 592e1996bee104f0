import { RefundId } from "@surety/core/Ids"
import { RefundNotFound } from "@surety/core/refund/RefundError"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { answer } from "@surety/http/Answer"
import { codesOfRefusals, refusedBy, retryLater } from "@surety/http/problem/Refusal"
import { refundRefusals } from "@surety/http/refund/RefundRefusals"
import { Data, Effect } from "effect"
import { expect, it } from "vitest"

class NewError extends Data.TaggedError("NewError") {}

const refundId = RefundId.make("refund_01h2xcejqtf2nbrexx3vqjhp41")
const found: Effect.Effect<string, RefundNotFound> = Effect.fail(new RefundNotFound({ refundId }))
const withNewError: Effect.Effect<string, RefundNotFound | NewError> = found

// Checked by the compiler: each line under an `@ts-expect-error` would not compile without that directive.
const typed = () => [
  answer(refundRefusals.get, found),
  // @ts-expect-error a new error of the service has no refusal yet
  answer(refundRefusals.get, withNewError),
  // @ts-expect-error the route cannot fail with this, so it must not document it
  answer({ ...refundRefusals.get, NewError: "payment_not_found" }, found),
  // @ts-expect-error an unknown code
  answer({ RefundNotFound: "refund_not_there" }, found)
]

it("maps each error of a route to its problem, and does not compile otherwise", () => {
  expect(typed).toBeTypeOf("function")
  expect(refusedBy<RefundNotFound>(refundRefusals.get, new RefundNotFound({ refundId })).problem).toMatchObject({
    code: "refund_not_found",
    status: 404
  })
})

it("retries a storage failure under every route, and logs it", () => {
  const reason = new StoreUnavailable({ cause: new Error("connection reset") })
  const error = new StoreError({ operation: "RefundStore.find", reason })
  const { log, problem } = refusedBy<StoreError>({}, error)
  expect(problem).toMatchObject({ code: "service_unavailable", options: { headers: { "retry-after": "5" } } })
  expect(log).toBe(error.message)
})

it("documents what the map says, each reason of a rule included", () => {
  expect(codesOfRefusals(refundRefusals.create)).toEqual([
    "refunds_forbidden",
    "payment_not_found",
    "payment_identifier_mismatch",
    "payment_not_settled",
    "payment_not_refundable",
    "currency_mismatch",
    "already_refunded",
    "amount_exceeds_refundable",
    "customer_wallet_missing",
    "insufficient_settlement_balance",
    "wallet_declined",
    "idempotency_key_reused",
    "idempotency_in_progress",
    "wallet_unavailable"
  ])
  expect(codesOfRefusals({ Busy: retryLater("verification_busy") })).toEqual(["verification_busy"])
})
