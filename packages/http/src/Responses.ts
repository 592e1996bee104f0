import { Responses } from "@surety/core/idempotency/Responses"
import { Layer } from "effect"
import { dataRequestJson } from "./consent/DataRequestRecord.js"
import { verificationJson } from "./kyc/VerificationRecord.js"
import { refundJson } from "./refund/RefundRecord.js"

/**
 * Layer with the encoders of refunds, data requests and verifications. Core stores each encoded response with the
 * request's idempotency key, for replays.
 */
export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: refundJson,
  dataRequest: dataRequestJson,
  verification: verificationJson
})
