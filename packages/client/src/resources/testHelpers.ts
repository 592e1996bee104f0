import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type {
  Consumer,
  DataRequest,
  Grant,
  Payment,
  Refund,
  TestApprovalRequest,
  TestClock,
  TestClockRequest,
  TestConsumerRequest,
  TestMerchant,
  TestMerchantRequest,
  TestPaymentRequest,
  TestSettlementRequest
} from "../Interface.generated.js"

/**
 * Sandbox helpers, which work only with TEST keys. A helper that changes something is not retried if its response is
 * lost, since a retry could repeat the effect.
 */
export interface TestHelpers {
  /**
   * Creates a consumer, linked to you unless `linked` is false.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi", country: "NG" })
   * console.log(serviceId)
   */
  readonly createConsumer: (request?: TestConsumerRequest, options?: CallOptions) => Call<Consumer>
  /**
   * Makes a payment by the consumer to you. By default, funds the consumer's primary wallet and pays from it.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const payment = await client.testHelpers.createPayment({ service_id: serviceId, amount: 2500.5, settled: false })
   * await client.testHelpers.settlePayment(payment.transactionId)
   */
  readonly createPayment: (request: TestPaymentRequest, options?: CallOptions) => Call<Payment>
  /** Settles a payment that was created with `settled: false`. */
  readonly settlePayment: (transactionId: string, options?: CallOptions) => Call<Payment>
  /**
   * Settles, on the wallet's behalf, a pending refund of a payment that was made with `refund_outcome: "pending"`.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const { transactionId } = await client.testHelpers.createPayment({ service_id: serviceId, amount: 10, refund_outcome: "pending" })
   * await client.refunds.create({ transaction_id: transactionId }).catch(() => {})
   * for await (const { refundId } of client.refunds.list({ transaction_id: transactionId })) {
   *   await client.testHelpers.settleRefund(refundId, { outcome: "completed" })
   * }
   */
  readonly settleRefund: (refundId: string, request: TestSettlementRequest, options?: CallOptions) => Call<Refund>
  /**
   * Approves the requested fields, or only those in `fields`, on the test consumer's behalf.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const request = await client.dataRequests.create({ service_id: serviceId, requested_fields: ["email", "country"] })
   * const { grantId } = await client.testHelpers.approveDataRequest(request.id, { fields: ["country"] })
   * if (grantId !== undefined) await client.testHelpers.revokeGrant(grantId)
   */
  readonly approveDataRequest: (
    dataRequestId: string,
    request?: TestApprovalRequest,
    options?: CallOptions
  ) => Call<DataRequest>
  readonly denyDataRequest: (dataRequestId: string, options?: CallOptions) => Call<DataRequest>
  /** Expires a pending data request immediately. */
  readonly expireDataRequest: (dataRequestId: string, options?: CallOptions) => Call<DataRequest>
  readonly revokeGrant: (grantId: string, options?: CallOptions) => Call<Grant>
  /** Expires an active grant immediately. A grant that has already ended stays as it is. */
  readonly expireGrant: (grantId: string, options?: CallOptions) => Call<Grant>
  /** Switches your TEST refunds on or off. They stay off while the platform has switched off your refunds. */
  readonly switchRefunds: (request: TestMerchantRequest, options?: CallOptions) => Call<TestMerchant>
  /** Returns your test clock. Its `now` is the real time plus all advances so far. */
  readonly clock: (options?: CallOptions) => Call<TestClock>
  /**
   * Advances your test clock, by at most 400 days in total. This brings forward pending work in TEST, such as expiries
   * and webhook retries, by the same amount.
   *
   * @example
   * await client.testHelpers.advanceClock({ advance_seconds: 7 * 24 * 60 * 60 })
   * console.log((await client.testHelpers.clock()).now)
   */
  readonly advanceClock: (request: TestClockRequest, options?: CallOptions) => Call<TestClock>
}

export const testHelpers = (send: Send): TestHelpers => ({
  createConsumer: (body, options) => callOf(send("testHelpers.createConsumer", { body }, options)),
  createPayment: (body, options) => callOf(send("testHelpers.createPayment", { body }, options)),
  settlePayment: (transactionId, options) =>
    callOf(send("testHelpers.settlePayment", { path: { transactionId } }, options)),
  approveDataRequest: (dataRequestId, body, options) =>
    callOf(send("testHelpers.approveDataRequest", { path: { dataRequestId }, body }, options)),
  denyDataRequest: (dataRequestId, options) =>
    callOf(send("testHelpers.denyDataRequest", { path: { dataRequestId } }, options)),
  settleRefund: (refundId, body, options) =>
    callOf(send("testHelpers.settleRefund", { path: { refundId }, body }, options)),
  expireDataRequest: (dataRequestId, options) =>
    callOf(send("testHelpers.expireDataRequest", { path: { dataRequestId } }, options)),
  revokeGrant: (grantId, options) => callOf(send("testHelpers.revokeGrant", { path: { grantId } }, options)),
  expireGrant: (grantId, options) => callOf(send("testHelpers.expireGrant", { path: { grantId } }, options)),
  switchRefunds: (body, options) => callOf(send("testHelpers.switchRefunds", { body }, options)),
  clock: (options) => callOf(send("testHelpers.clock", {}, options)),
  advanceClock: (body, options) => callOf(send("testHelpers.advanceClock", { body }, options))
})
