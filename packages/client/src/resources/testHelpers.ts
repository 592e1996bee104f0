import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type {
  Consumer,
  DataRequest,
  Grant,
  Payment,
  TestApprovalRequest,
  TestConsumerRequest,
  TestPaymentRequest
} from "../Interface.generated.js"

/**
 * Sandbox helpers. TEST keys only; they do not exist for LIVE keys. A helper whose response was
 * lost is not retried, since it would create a second record.
 */
export interface TestHelpers {
  readonly createConsumer: (request?: TestConsumerRequest, options?: CallOptions) => Call<Consumer>
  /** Funds the consumer's primary wallet and pays from it. */
  readonly createPayment: (request: TestPaymentRequest, options?: CallOptions) => Call<Payment>
  /** Settles a payment that was created with `settled: false`. */
  readonly settlePayment: (transactionId: string, options?: CallOptions) => Call<Payment>
  /** Approves in the test consumer's place: all requested fields, or some. */
  readonly approveDataRequest: (
    dataRequestId: string,
    request?: TestApprovalRequest,
    options?: CallOptions
  ) => Call<DataRequest>
  readonly denyDataRequest: (dataRequestId: string, options?: CallOptions) => Call<DataRequest>
  readonly revokeGrant: (grantId: string, options?: CallOptions) => Call<Grant>
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
  revokeGrant: (grantId, options) => callOf(send("testHelpers.revokeGrant", { path: { grantId } }, options))
})
