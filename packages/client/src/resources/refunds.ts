import { type Call, callOf } from "../call/Call.js"
import type { CallOptions, KeyedCallOptions } from "../call/CallOptions.js"
import type { Runtime } from "../call/Runtime.js"
import type { Send } from "../call/send.js"
import { RefundStillPending, type WaitOptions, waitUntilSettled } from "../call/waitUntilSettled.js"
import type { Query } from "../Given.js"
import type { Refund, RefundRequest } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/** Refunds to customers for their payments. */
export interface Refunds {
  /**
   * Refunds a settled wallet payment to the customer's primary wallet. Without `amount`, refunds the sum of `items` or,
   * without items, the original amount. Rejects an explicitly undefined `amount` or `items`, since it could refund
   * everything by mistake. Never refunds twice under one idempotency key.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const payment = await client.testHelpers.createPayment({ service_id: serviceId, amount: 2500.5 })
   * const refund = await client.refunds.create(
   *   { transaction_id: payment.transactionId, amount: 1000.25, reason: "Damaged" },
   *   { idempotencyKey: "order-1001-refund-1" }
   * )
   * console.log(refund.status, refund.amount, refund.currency)
   */
  readonly create: (request: RefundRequest, options?: KeyedCallOptions) => Call<Refund>
  /**
   * Returns a refund by its id.
   *
   * @example
   * for await (const { refundId } of client.refunds.list({ limit: 10 })) {
   *   const refund = await client.refunds.get(refundId)
   *   console.log(refund.refundId, refund.status)
   * }
   */
  readonly get: (refundId: string, options?: CallOptions) => Call<Refund>
  /**
   * Polls a refund until it is no longer `PENDING`. The delay between reads grows from 1 to 15 seconds, or is
   * `Retry-After` if that is longer. On timeout, rejects with `RefundStillPending`, or with the last read's failure.
   * While time is left, continues after `ConnectionFailed`, `TimedOut`, a `ServiceProblem` with status 429 or 5xx, or
   * an `UnexpectedAnswer` with status 408, 429 or 5xx. Any other failure ends the wait immediately.
   *
   * @example
   * for await (const { refundId } of client.refunds.list({ limit: 10 })) {
   *   const refund = await client.refunds.waitUntilSettled(refundId, { timeoutMillis: 60_000 })
   *   console.log(refund.status) // COMPLETED, or FAILED
   * }
   */
  readonly waitUntilSettled: (refundId: string, options?: WaitOptions) => Promise<Refund>
  /**
   * Lists refunds, newest first. `transaction_id` limits the list to one payment.
   *
   * @example
   * for await (const refund of client.refunds.list({ limit: 50 })) console.log(refund.refundId, refund.amount)
   */
  readonly list: (query?: Query<"refunds.list">, options?: CallOptions) => List<Refund>
}

export const refunds = (send: Send, runtime: Runtime): Refunds => {
  const get = (refundId: string, options?: CallOptions) => callOf(send("refunds.get", { path: { refundId } }, options))
  return {
    create: (body, options) => callOf(send("refunds.create", { body }, options)),
    get,
    waitUntilSettled: (refundId, options) =>
      waitUntilSettled(
        (call) => get(refundId, call),
        (refund, millis) => new RefundStillPending(refund, millis),
        runtime,
        options
      ),
    list: (query = {}, options) => {
      const read = async (page: Query<"refunds.list">) => (await send("refunds.list", { query: page }, options)).data
      return listOf(read(query), (cursor) => read({ ...query, cursor }))
    }
  }
}
