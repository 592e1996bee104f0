import { type Call, callOf } from "../Call.js"
import type { CallOptions } from "../CallOptions.js"
import type {
  Consumer,
  DataRequest,
  Grant,
  Payment,
  TestApprovalRequest,
  TestConsumerRequest,
  TestPaymentRequest
} from "../Interface.generated.js"
import type { Send } from "../send.js"

/**
 * What you need to try everything alone. TEST keys only; for LIVE keys none of it exists. A helper whose answer was
 * lost is not sent again: it would make another.
 */
export interface TestHelpers {
  readonly createConsumer: (request?: TestConsumerRequest, options?: CallOptions) => Call<Consumer>
  /** Funds the consumer's primary wallet and pays from it. */
  readonly createPayment: (request: TestPaymentRequest, options?: CallOptions) => Call<Payment>
  /** Settles a payment that was made with `settled: false`. */
  readonly settlePayment: (transactionId: string, options?: CallOptions) => Call<Payment>
  /** In the test consumer's place: all that was requested, or some of it. */
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
