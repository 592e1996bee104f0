import { Responses } from "@surety/core/idempotency/Responses"
import { Layer } from "effect"
import { dataRequestJson } from "./consent/DataRequestRecord.js"
import { verificationJson } from "./kyc/VerificationRecord.js"
import { refundJson } from "./refund/RefundRecord.js"

/** Layer with the response encoders of commands that take an idempotency key. Encoded bodies are stored for replays. */
export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: refundJson,
  dataRequest: dataRequestJson,
  verification: verificationJson
})
